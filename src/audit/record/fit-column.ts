/**
 * The most characters (UTF-16 code units) of each text column of an audit record that is filled from outside. The other
 * text columns hold ids of the gateway and values of closed lists. A whole record stays below 30,000 characters.
 */
export const COLUMN_CAPS = {
  request_id: 128,
  client_name: 200,
  /** The `tool` filter of `/api/v1/audit` accepts as many; a PostgreSQL index entry holds at most 2,704 bytes. */
  tool: 200,
  tool_id: 500,
  /** As JSON. */
  arguments: 8192,
  upstream_url: 2048,
  public_data_code: 64,
  public_data_message: 1024,
  error_message: 2048,
  client_ip: 64,
} as const;

/** The end of every text that was cut. */
export const CUT_MARK = '…[cut]';

/** Cuts a text to at most `maxCharacters`, including the mark, and never within a surrogate pair. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const end = maxCharacters - CUT_MARK.length;
  return text.slice(0, isHighSurrogate(text, end - 1) ? end - 1 : end) + CUT_MARK;
}

const isHighSurrogate = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc00) === 0xd800;

/**
 * Cuts a text to the cap of its column and replaces NUL, which PostgreSQL refuses. It also refuses lone surrogates, but
 * SQLite replaces them with U+FFFD; checking for them here would double the cost.
 */
export function fitText<T extends string | null>(text: T, cap: number): T | string {
  if (text === null || (text.length <= cap && !text.includes('\0'))) return text;
  return cutText(text, cap).replaceAll('\0', '\uFFFD');
}

/** The most characters of one member in truncated arguments. */
const MEMBER_CAP = 1024;

/**
 * Arguments as JSON within their cap. Longer ones become `{"_truncated": true, "_bytes": <size of the whole>}` with the
 * first members that fit. A long string is cut, and a long array or object becomes the start of its JSON as a string.
 */
export function fitArguments(args: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(args);
  return json.length <= COLUMN_CAPS.arguments ? json : truncated(args, Buffer.byteLength(json));
}

function truncated(args: Readonly<Record<string, unknown>>, bytes: number): string {
  let text = `{"_truncated":true,"_bytes":${bytes}`;
  for (const [name, value] of Object.entries(args)) {
    if (name === '_truncated' || name === '_bytes' || value === undefined) continue;
    const member = `,${JSON.stringify(name)}:${shortened(value)}`;
    if (text.length + member.length >= COLUMN_CAPS.arguments) break;
    text += member;
  }
  return `${text}}`;
}

function shortened(value: unknown): string {
  const json = JSON.stringify(value);
  if (json.length <= MEMBER_CAP) return json;
  return JSON.stringify(cutText(typeof value === 'string' ? value : json, MEMBER_CAP));
}
