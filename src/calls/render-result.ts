import { GatewayError } from '../platform/kernel/error.ts';
import { isObject } from '../platform/kernel/plain-json.ts';
import { cutText, decodeStart, endOfString, quoteJson } from '../upstreams/payload/json-text.ts';
import { encodeResult } from './encode-result.ts';
import { encodeUpstream } from './encode-upstream.ts';
import { describeOmitted, summariseFailure, summariseOutcome } from './summarise.ts';
import { CallFailure, type CallOutcome } from './tool-call.ts';

/** JSON text in pieces; those of the payload are never copied here. */
type Pieces = readonly (string | Buffer)[];

/** A tool's result as models read it (MCP `CallToolResult`), in pieces that a dialect joins. */
export interface RenderedResult {
  /** Members of the result without `_meta`, separated by commas. */
  readonly members: Pieces;
  /** Members of `_meta`, for clients that drop the members they do not know. */
  readonly meta: string;
}

/** Renders an outcome. The texts of `content` are cut at `maxBytes`; `data` and `structuredContent` are complete. */
export function renderOutcome(outcome: CallOutcome, maxBytes: number): RenderedResult {
  const { response, cacheStatus, auditId } = outcome;
  const { before, after } = encodeResult(outcome);
  const address = encodeUpstream(outcome);
  return {
    members: [...contentOf(outcome, maxBytes), `,${before}`, response.json, after],
    meta: `"toolgateway/auditId":"${auditId}","toolgateway/cacheStatus":"${cacheStatus}","toolgateway/upstream":${address}`,
  };
}

/**
 * Renders a failed call as a result, since a model sees results but no errors. Rethrows `tool_not_found`, which is an
 * error in MCP. Contains `auditId` if a record was written.
 */
export function renderFailure(tool: string, thrown: unknown): RenderedResult {
  if (thrown instanceof GatewayError && thrown.code === 'tool_not_found') throw thrown;
  const content = JSON.stringify([textBlock(summariseFailure(tool, thrown))]);
  const auditId = thrown instanceof CallFailure ? thrown.auditId : null;
  return {
    members: [
      `"content":${content},"isError":true,"tool":${JSON.stringify(tool)}`,
      auditId ? `,"auditId":"${auditId}"` : '',
    ],
    meta: auditId ? `"toolgateway/auditId":"${auditId}"` : '',
  };
}

const textBlock = (text: string) => ({ type: 'text', text });

/** `content`, followed by `structuredContent` for a success or `isError` for a failure. */
function contentOf(outcome: CallOutcome, maxBytes: number): Pieces {
  const { json: data } = outcome.response;
  const own = outcome.entry.tool.answersContent ? readOwnContent(data, outcome.isError) : null;
  if (own) return [own];
  const headline = textBlock(summariseOutcome(outcome));
  const media = readMedia(data);
  if (media) return [`"content":${JSON.stringify([headline, media])}`, errorMark(outcome.isError)];
  const { literal, isWhole }: QuotedText = readText(data, maxBytes) ?? quoteJson(data, maxBytes);
  const note = [describeOmitted(outcome), isWhole ? '' : describeCut(data, maxBytes)]
    .join(' ')
    .trim();
  return [
    `"content":[${JSON.stringify(headline)},{"type":"text","text":`,
    literal,
    note ? `},${JSON.stringify(textBlock(note))}]` : '}]',
    ...(outcome.isError ? [errorMark(true)] : structuredOf(data)),
  ];
}

const errorMark = (isError: boolean): string => (isError ? ',"isError":true' : '');

const describeCut = (data: Buffer, maxBytes: number): string =>
  `Only the first ${maxBytes} of ${data.length} bytes are shown; structuredContent has all of them. Ask for fewer rows, or for some columns only, with _limit and _fields where the tool has them.`;

/** The first byte of an object; a normalised payload has no white space before it. */
const OBJECT = 0x7b;

const structuredOf = (data: Buffer): Pieces =>
  data[0] === OBJECT
    ? [',"structuredContent":', data]
    : [',"structuredContent":{"result":', data, '}'];

interface QuotedText {
  readonly literal: string | Buffer;
  readonly isWhole: boolean;
}

const startsWith = (data: Buffer, text: string): boolean =>
  data.length > text.length && data.toString('latin1', 0, text.length) === text;

const TEXT_START = '{"text":"';
/** The longest escape of one byte of text in JSON: `\u0041`. */
const MAX_ESCAPE_BYTES = 6;

/** The text of a payload that contains nothing else (`{"text": "..."}`), as a JSON string, decoded only as far as it is shown. */
function readText(data: Buffer, maxBytes: number): QuotedText | null {
  if (!startsWith(data, TEXT_START)) return null;
  const start = TEXT_START.length;
  const end = endOfString(data, start);
  if (end !== data.length - 2) return null;
  if (end - start <= maxBytes) return { literal: data.subarray(start - 1, end + 1), isWhole: true };
  const decoded = decodeStart(data.subarray(start, end), MAX_ESCAPE_BYTES * maxBytes);
  const shown = cutText(decoded, maxBytes);
  const isWhole = shown === decoded && end - start <= MAX_ESCAPE_BYTES * maxBytes;
  return { literal: JSON.stringify(shown), isWhole };
}

/** The content block of an image or audio payload, which is in base64. */
function readMedia(data: Buffer): object | null {
  if (!startsWith(data, '{"contentType":"')) return null;
  const { contentType, base64 } = JSON.parse(data.toString());
  const mimeType = String(contentType).split(';')[0] ?? '';
  const kind = /^(image|audio)\//.exec(mimeType)?.[1];
  return kind && typeof base64 === 'string' ? { type: kind, data: base64, mimeType } : null;
}

const BLOCK_TYPES: ReadonlySet<unknown> = new Set([
  'text',
  'image',
  'audio',
  'resource',
  'resource_link',
]);

/** The MCP content that the upstream sent (`x-mcp-content`); null if the payload is not MCP content. */
function readOwnContent(data: Buffer, failed: boolean): string | null {
  const { content, structuredContent, isError } = JSON.parse(data.toString()) ?? {};
  if (!Array.isArray(content) || !content.every((block) => BLOCK_TYPES.has(block?.type)))
    return null;
  const structured = isObject(structuredContent)
    ? `,"structuredContent":${JSON.stringify(structuredContent)}`
    : '';
  return `"content":${JSON.stringify(content)}${structured}${errorMark(failed || isError === true)}`;
}
