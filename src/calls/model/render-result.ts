import { GatewayError } from '../../platform/kernel/error.ts';
import {
  decodeStart,
  endOfString,
  quoteJson,
  startOfJson,
  type TextStart,
} from '../../platform/kernel/json-text.ts';
import { encodeResult, encodeUpstream, type McpContent, readOwnContent } from '../encode-result.ts';
import { CallFailure, type CallOutcome } from '../tool-call.ts';
import { headingOf, labelOf, type ShownRows } from '../view/table.ts';
import { failureText, headOf } from './headline.ts';
import { encodeStructured } from './structured.ts';

/** JSON text in pieces; the pieces of the payload are never copied here. */
type Pieces = readonly (string | Buffer)[];

/** A tool's result as models read it (MCP `CallToolResult`), in pieces that a dialect joins. */
export interface RenderedResult {
  /** Members of the result without `_meta`, separated by commas. */
  readonly members: Pieces;
  /** Members of `_meta`, for clients that drop the members they do not know. */
  readonly meta: string;
}

/**
 * What a result has besides the text for the model: `full`, the members of the plain result; `structured`, the same with
 * `structuredContent`; `text`, nothing.
 */
export type ResultStyle = 'full' | 'text' | 'structured';

export interface Rendering {
  readonly style: ResultStyle;
  /** Characters of the text, and of the rows of `structuredContent`. `data` is complete. */
  readonly maxCharacters: number;
}

/** Renders an outcome as one text for the model, with what the style adds. */
export function renderOutcome(outcome: CallOutcome, rendering: Rendering): RenderedResult {
  const { cacheStatus, auditId, response } = outcome;
  const content = contentOf(outcome, rendering);
  const wait =
    response.retryAfterSeconds === undefined
      ? ''
      : `,"toolgateway/retryAfterSeconds":${response.retryAfterSeconds}`;
  const meta = `"toolgateway/auditId":"${auditId}","toolgateway/cacheStatus":"${cacheStatus}"${wait}`;
  if (rendering.style !== 'full') return { members: content, meta };
  return {
    members: [...content, ',', ...encodeResult(outcome)],
    meta: `${meta},"toolgateway/upstream":${encodeUpstream(outcome)}`,
  };
}

/**
 * Renders a failed call as a result, since a model sees results but no errors. Rethrows `tool_not_found`, which is an
 * error in MCP. Contains `auditId` if a record was written.
 */
export function renderFailure(tool: string, thrown: unknown): RenderedResult {
  if (thrown instanceof GatewayError && thrown.code === 'tool_not_found') throw thrown;
  const content = JSON.stringify([textBlock(`${failureText(tool, thrown)}\n`)]);
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

/** `content`, with `isError` for a failure and `structuredContent` where it was asked for. */
function contentOf(outcome: CallOutcome, { style, maxCharacters }: Rendering): Pieces {
  const { json: data } = outcome.response;
  const own = outcome.entry.tool.returnsMcpContent ? readOwnContent(data) : null;
  if (own) return [encodeOwnContent(own, outcome.isError)];
  const media = readMedia(data);
  const content = media
    ? [JSON.stringify([textBlock(`${headOf(outcome)}\n`), media])]
    : ['[{"type":"text","text":', ...answerLiteral(outcome, maxCharacters), '}]'];
  const members = ['"content":', ...content, errorMark(outcome.isError)];
  if (style !== 'structured') return members;
  return [...members, ',"structuredContent":', ...encodeStructured(outcome, maxCharacters)];
}

const errorMark = (isError: boolean): string => (isError ? ',"isError":true' : '');

const startsWith = (data: Buffer, text: string): boolean =>
  data.length > text.length && data.toString('latin1', 0, text.length) === text;

/** The content block of an image or audio payload, which is in base64. */
function readMedia(data: Buffer): object | null {
  if (!startsWith(data, '{"contentType":"')) return null;
  const { contentType, base64 } = JSON.parse(data.toString());
  const mimeType = String(contentType).split(';')[0] ?? '';
  const kind = /^(image|audio)\//.exec(mimeType)?.[1];
  return kind && typeof base64 === 'string' ? { type: kind, data: base64, mimeType } : null;
}

function encodeOwnContent({ content, structuredContent, isError }: McpContent, failed: boolean) {
  const structured = structuredContent
    ? `,"structuredContent":${JSON.stringify(structuredContent)}`
    : '';
  return `"content":${JSON.stringify(content)}${structured}${errorMark(failed || isError)}`;
}

/** The line breaks around the body. */
const FRAME_LENGTH = 3;

/** Characters of the response of an upstream that refused a call. */
const MAX_REFUSAL_LENGTH = 2000;

/**
 * A response as a model reads it, as a JSON string in pieces: one line on what it is, the notes, an empty line, and the
 * rows or the JSON. It has at most `maxCharacters`, apart from a note that it was cut.
 */
function answerLiteral(outcome: CallOutcome, maxCharacters: number): (string | Buffer)[] {
  const head = headOf(outcome);
  const { json } = outcome.response;
  const left = Math.max(0, maxCharacters - head.length - FRAME_LENGTH);
  if (outcome.table || outcome.kind !== 'ok' || json.length > left || isPlainText(json)) {
    return [JSON.stringify(withBody(head, bodyOf(outcome, left)))];
  }
  // Neither decoded nor encoded again: a byte is at most one character.
  return [JSON.stringify(`${head}\n\n`).slice(0, -1), quoteJson(json), '\\n"'];
}

function withBody(head: string, { text, cut }: BodyText): string {
  const lines = cut ? `${head}\nNote: ${cut}\n` : `${head}\n`;
  return text === '' ? lines : `${lines}\n${text}\n`;
}

function bodyOf({ table, response, isError, kind }: CallOutcome, maxCharacters: number): BodyText {
  if (table) return table.rows.length === 0 ? EMPTY : tableText(table, maxCharacters);
  if (kind === 'no_data') return EMPTY;
  const { json } = response;
  return jsonText(json, isError ? Math.min(maxCharacters, MAX_REFUSAL_LENGTH) : maxCharacters);
}

const EMPTY = { text: '', cut: null };

const TEXT_START = '{"text":"';
/** The longest escape of one character in JSON, in bytes: `\ud83d\ude00`. */
const MAX_ESCAPE_BYTES = 12;
const MAX_UTF8_BYTES = 4;

/** A payload without a table: its text if it contains nothing else (`{"text": "…"}`), else its JSON on one line. */
function jsonText(data: Buffer, maxCharacters: number): BodyText {
  const start = plainText(data, maxCharacters) ?? startOfJson(data, maxCharacters * MAX_UTF8_BYTES);
  const shown = cutAt(start.text, maxCharacters);
  const isWhole = start.isWhole && shown === start.text;
  return { text: shown, cut: isWhole ? null : cutNote(maxCharacters, data) };
}

/** Whether a payload may contain a text and nothing else. */
const isPlainText = (data: Buffer): boolean => startsWith(data, TEXT_START);

/** Decoded only as far as it is shown. */
function plainText(data: Buffer, maxCharacters: number): TextStart | null {
  if (!isPlainText(data)) return null;
  const end = endOfString(data, TEXT_START.length);
  if (end !== data.length - 2) return null;
  const inner = data.subarray(TEXT_START.length, end);
  const maxBytes = maxCharacters * MAX_ESCAPE_BYTES;
  return { text: decodeStart(inner, maxBytes), isWhole: inner.length <= maxBytes };
}

/** Never within a surrogate pair; the character that a cut in bytes has broken is left out. */
function cutAt(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const last = text.charCodeAt(maxCharacters - 1) & 0xfc00;
  return text.slice(0, last === 0xd800 ? maxCharacters - 1 : maxCharacters);
}

const cutNote = (maxCharacters: number, data: Buffer): string =>
  `Only the first ${maxCharacters} characters of ${data.length} bytes fit here. Ask for less with the arguments of the tool.`;

/** A text, and whether it is cut. */
interface BodyText {
  readonly text: string;
  /** What to do about what is missing; null if nothing is. */
  readonly cut: string | null;
}

const TAB = '\t';

/**
 * Rows as a header and one line each, with tabs between the cells: hosts cut a text at lines. At most `maxCharacters`,
 * at whole rows.
 */
function tableText({ columns, rows }: ShownRows, maxCharacters: number): BodyText {
  const header = columns.map(headingOf).map(inCell).join(TAB);
  const lines = [header];
  let length = header.length;
  for (const row of rows) {
    const line = row
      .map((cell, index) => inCell(labelOf(cell, columns[index] ?? NO_CODES)))
      .join(TAB);
    length += line.length + 1;
    if (length > maxCharacters) break;
    lines.push(line);
  }
  const shown = lines.length - 1;
  const cut =
    shown === rows.length
      ? null
      : `Only the first ${shown} of these ${rows.length} rows fit here. Ask for fewer columns with _fields, or for some rows with _where.`;
  return { text: lines.join('\n'), cut };
}

const NO_CODES = { codes: null };

/** Without what would end a cell or a line. */
const inCell = (text: string): string =>
  /[\t\r\n]/.test(text) ? text.replaceAll(/[\t\r\n]+/g, ' ') : text;
