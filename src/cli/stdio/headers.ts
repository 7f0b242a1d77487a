import type { HostMessage } from './message.ts';

/**
 * What a message says of itself in headers: MCP 2026-07-28 "Streamable HTTP" wants the method and the tool's name
 * there too; earlier revisions want the revision that `initialize` agreed upon.
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

/** "Value Encoding" of the same page: what a header cannot carry, or what would be read as encoded, is encoded. */
function encodeHeaderValue(text: string): string {
  if (PLAIN.test(text) && !LOOKS_ENCODED.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
