/** A comment line, which every client ignores; it keeps proxies from taking the stream for dead. */
export const KEEPALIVE_COMMENT = ': keepalive\n\n';

/**
 * One event in the framing of the HTML standard, section 9.2 "Server-sent events". Each line of `data` becomes a
 * field of its own; a client joins them with line feeds, whichever line ends they had. `name` is one of our own
 * constants, a single line.
 */
export function encodeSseEvent(name: string, data: string): string {
  const fields = /[\r\n]/.test(data) ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data;
  return `event: ${name}\ndata: ${fields}\n\n`;
}

/** The notification that the list of tools has changed, of the MCP revisions with a session. */
export const TOOLS_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
