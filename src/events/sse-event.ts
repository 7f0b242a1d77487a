/** A comment line, which clients ignore. It keeps proxies from closing an idle stream. */
export const KEEPALIVE_COMMENT = ': keepalive\n\n';

/**
 * How long a client waits before it reconnects. The line has no frame of its own: it begins the first frame of a stream,
 * because some clients take a frame without data for an empty event.
 */
export const RETRY_FIELD = 'retry: 3000\n';

/**
 * One event in the format of the HTML standard, section 9.2 "Server-sent events". Each line of `data` becomes a
 * separate field; the client joins them with line feeds, whatever the original line breaks. `name` is a constant of
 * the gateway, a single line.
 */
export function encodeSseEvent(name: string, data: string): Buffer {
  const fields = /[\r\n]/.test(data) ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data;
  return Buffer.from(`event: ${name}\ndata: ${fields}\n\n`);
}

/** The notification of a changed tool list, for the MCP revisions with a session. */
export const TOOLS_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
