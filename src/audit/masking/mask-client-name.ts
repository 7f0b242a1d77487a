import { foldText } from './fold-text.ts';
import { maskText } from './mask-text.ts';

/** The most characters of a client's name. The dialect may have cut a name of this length. */
const MAX_LENGTH = 100;

/** Cache of names with nothing to mask: few clients make many calls. */
const HARMLESS = new Set<string>();
const MAX_HARMLESS = 500;

/** The name of a client for the audit record. */
export function maskClientName(name: string): string {
  if (HARMLESS.has(name)) return name;
  const masked = maskText(name.length < MAX_LENGTH ? name : withoutCutEnd(name));
  if (masked === name) {
    if (HARMLESS.size >= MAX_HARMLESS) HARMLESS.clear();
    HARMLESS.add(name);
  }
  return masked;
}

/** A letter that does not also serve as a separator. */
const WORD = /[\p{L}--[ㅡㆍー]]/v;
const LONG_NAME = '[long name]';

/** Half a number would not be recognised, so a cut name ends with its last whole word of letters. */
function withoutCutEnd(name: string): string {
  if (/[%&\\]/.test(name)) return LONG_NAME;
  const words = foldText(name.slice(0, MAX_LENGTH)).split(/\s/);
  words.pop();
  while (words.length > 0 && !WORD.test(words.at(-1) ?? '')) words.pop();
  return words.join(' ') || LONG_NAME;
}
