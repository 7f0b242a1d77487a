import {
  decodeStart,
  endOfString,
  startOfJson,
  type TextStart,
} from '../../upstreams/payload/json-text.ts';
import type { BodyText } from './table-text.ts';

const TEXT_START = '{"text":"';
/** The longest escape of one character in JSON, in bytes: `\ud83d\ude00`. */
const MAX_ESCAPE_BYTES = 12;
const MAX_UTF8_BYTES = 4;

/** A payload without a table: its text if it contains nothing else (`{"text": "…"}`), else its JSON on one line. */
export function jsonText(data: Buffer, maxCharacters: number): BodyText {
  const start = plainText(data, maxCharacters) ?? startOfJson(data, maxCharacters * MAX_UTF8_BYTES);
  const shown = cutAt(start.text, maxCharacters);
  const isWhole = start.isWhole && shown === start.text;
  return { text: shown, cut: isWhole ? null : cutNote(maxCharacters, data) };
}

/** Whether a payload may contain a text and nothing else. */
export const isPlainText = (data: Buffer): boolean =>
  data.length > TEXT_START.length && data.toString('latin1', 0, TEXT_START.length) === TEXT_START;

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
