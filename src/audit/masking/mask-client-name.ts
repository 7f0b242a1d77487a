import { foldText } from './fold-text.ts';
import { maskText } from './mask-text.ts';

/** Characters of a client's name that are recorded; one that long was cut by the dialect. */
const MAX_LENGTH = 100;

/** Names without anything to mask; there are few clients, and each calls many times. */
const HARMLESS = new Set<string>();
const MAX_HARMLESS = 500;

/** What a client calls itself, as the audit record keeps it. */
export function maskClientName(name: string): string {
  if (HARMLESS.has(name)) return name;
  const masked = maskText(name.length < MAX_LENGTH ? name : withoutCutEnd(name));
  if (masked === name) {
    if (HARMLESS.size >= MAX_HARMLESS) HARMLESS.clear();
    HARMLESS.add(name);
  }
  return masked;
}

/** A letter that is not used as a separator. */
const WORD = /[\p{L}--[ㅡㆍー]]/v;
const LONG_NAME = '[long name]';

/** Half a number would not be recognised as one: a cut name ends with its last whole word of letters. */
function withoutCutEnd(name: string): string {
  if (/[%&\\]/.test(name)) return LONG_NAME;
  const words = foldText(name.slice(0, MAX_LENGTH)).split(/\s/);
  words.pop();
  while (words.length > 0 && !WORD.test(words.at(-1) ?? '')) words.pop();
  return words.join(' ') || LONG_NAME;
}
