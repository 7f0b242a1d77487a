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
import { type ContentText, jsonContent } from './json-content.ts';
import { encodeStructured } from './structured.ts';

/** JSON text in pieces; the pieces of the payload are never copied here. */
type Pieces = readonly (string | Buffer)[];

/** A tool's result as models read it (MCP `CallToolResult`), in pieces that a dialect joins. */
export interface RenderedResult {
  /** Members of the result without `_meta`, separated by commas. */
  readonly members: Pieces;
  /** Members of `_meta`, for clients that drop the members they do not know. */
  readonly meta: string;
  /** Whether what the model reads was cut. */
  readonly isCut?: boolean;
}

/**
 * What a result has besides the text for the model: `full`, the members of the plain result; `structured`, the same with
 * `structuredContent`; `text`, nothing; `json`, nothing, and the text is JSON.
 */
export type ResultStyle = 'full' | 'text' | 'structured' | 'json';

export interface Rendering {
  readonly style: ResultStyle;
  /** Characters of the text, and of the rows of `structuredContent`. `data` is complete. */
  readonly maxCharacters: number;
  /** Whether the client knows `resource_link` blocks. */
  readonly knowsLinks?: boolean;
}

/** Renders an outcome as one text for the model, with what the style adds. */
export function renderOutcome(outcome: CallOutcome, rendering: Rendering): RenderedResult {
  const { cacheStatus, auditId, response } = outcome;
  const { members: content, isCut } = contentOf(outcome, rendering);
  const wait =
    response.retryAfterSeconds === undefined
      ? ''
      : `,"toolgateway/retryAfterSeconds":${response.retryAfterSeconds}`;
  const meta = `"toolgateway/auditId":"${auditId}","toolgateway/cacheStatus":"${cacheStatus}"${wait}`;
  if (rendering.style !== 'full') return { members: content, meta, isCut };
  return {
    members: [...content, ',', ...encodeResult(outcome)],
    meta: `${meta},"toolgateway/upstream":${encodeUpstream(outcome)}`,
    isCut,
  };
}

/**
 * Renders a failed call as a result, since a model sees results but no errors. Rethrows `tool_not_found`, which is an
 * error in MCP. Contains `auditId` if a record was written.
 */
export function renderFailure(
  tool: string,
  thrown: unknown,
  style: ResultStyle = 'full',
): RenderedResult {
  if (thrown instanceof GatewayError && thrown.code === 'tool_not_found') throw thrown;
  const failure = failureText(tool, thrown);
  const text = style === 'json' ? JSON.stringify({ error: failure }) : `${failure}\n`;
  const content = JSON.stringify([textBlock(text)]);
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

interface Content {
  readonly members: Pieces;
  readonly isCut: boolean;
}

/** `content`, with `isError` for a failure and `structuredContent` where it was asked for. */
function contentOf(outcome: CallOutcome, rendering: Rendering): Content {
  const { style, maxCharacters } = rendering;
  const { json: data } = outcome.response;
  if (style === 'json') {
    const { literal, isCut } = jsonContent(outcome, maxCharacters);
    return { members: [...contentWith(literal), errorMark(outcome.isError)], isCut };
  }
  const own = outcome.entry.tool.returnsMcpContent ? readOwnContent(data) : null;
  if (own) return { members: [encodeOwnContent(own, outcome.isError)], isCut: false };
  const { content, isCut } = textContent(outcome, rendering);
  const members = [...content, errorMark(outcome.isError)];
  if (style !== 'structured') return { members, isCut };
  const structured = encodeStructured(outcome, maxCharacters);
  return {
    members: [...members, ',"structuredContent":', ...structured.json],
    isCut: isCut || structured.isCut,
  };
}

/** The text for the model, followed by any image or sound, or by a link to the file of the answer. */
function textContent(
  outcome: CallOutcome,
  { maxCharacters, knowsLinks }: Rendering,
): { readonly content: Pieces; readonly isCut: boolean } {
  const media = readMedia(outcome.response.json);
  if (media) {
    const blocks = JSON.stringify([textBlock(`${headOf(outcome)}\n`), media]);
    return { content: ['"content":', blocks], isCut: false };
  }
  const { literal, isCut } = answerLiteral(outcome, maxCharacters);
  const link = knowsLinks ? linkBlock(outcome) : null;
  return { content: contentWith(literal, link ? `,${JSON.stringify(link)}` : ''), isCut };
}

const contentWith = (literal: Pieces, more = ''): Pieces => [
  '"content":[{"type":"text","text":',
  ...literal,
  `}${more}]`,
];

/** The file of an answer (MCP 2025-06-18, "Resource Links"). */
function linkBlock({ rows, entry }: CallOutcome): object | null {
  if (!rows?.link) return null;
  const { csv, expiresAt } = rows.link;
  return {
    type: 'resource_link',
    uri: csv,
    name: `${entry.tool.name}.csv`,
    mimeType: 'text/csv',
    description: `The whole answer as CSV, until ${expiresAt}.`,
  };
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
function answerLiteral(outcome: CallOutcome, maxCharacters: number): ContentText {
  const head = headOf(outcome);
  const { json } = outcome.response;
  const left = Math.max(0, maxCharacters - head.length - FRAME_LENGTH);
  if (outcome.table || outcome.kind !== 'ok' || json.length > left || isPlainText(json)) {
    const body = bodyOf(outcome, left);
    return { literal: [JSON.stringify(withBody(head, body))], isCut: body.cut !== null };
  }
  // Neither decoded nor encoded again: a byte is at most one character.
  const literal = [JSON.stringify(`${head}\n\n`).slice(0, -1), quoteJson(json), '\\n"'];
  return { literal, isCut: false };
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
