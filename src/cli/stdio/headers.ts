import type { HostMessage } from './message.ts';

/**
 * The headers that describe a message. MCP 2026-07-28, "Streamable HTTP", requires the method and the tool name as
 * headers; earlier revisions require the revision that `initialize` agreed on.
 */
export function headersOf(
  { revision, method, params }: HostMessage,
  agreedRevision: string | null,
): Record<string, string> {
  if (revision === null) return agreedRevision ? { 'mcp-protocol-version': agreedRevision } : {};
  const name = params['name'];
  return {
    'mcp-protocol-version': encodeHeaderValue(revision),
    ...(method === null ? {} : { 'mcp-method': encodeHeaderValue(method) }),
    ...(method === 'tools/call' && typeof name === 'string'
      ? { 'mcp-name': encodeHeaderValue(name) }
      : {}),
  };
}

const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/;
const LOOKS_ENCODED = /^=\?base64\?.*\?=$/;

/** "Value Encoding" of the same page: encodes what a header cannot carry, and what would be read as encoded. */
function encodeHeaderValue(text: string): string {
  if (PLAIN.test(text) && !LOOKS_ENCODED.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
