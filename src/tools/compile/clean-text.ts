/** Longest description of an operation that a model reads. */
export const MAX_DESCRIPTION_LENGTH = 2_000;
/** Longest description of a parameter, a body or a schema. */
export const MAX_SCHEMA_TEXT_LENGTH = 1_000;
/** Longest title or summary. */
export const MAX_TITLE_LENGTH = 200;

/** Text beyond this many times the wanted length is not even read: comments and escapes rarely are that long. */
const READ_FACTOR = 10;

/** Removing one comment may join the ends of another. */
const MAX_COMMENT_PASSES = 5;

/** CSI sequences, strings such as OSC with their terminators, and other escapes (ECMA-48). */
const ANSI =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it removes.
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[@-Z\\-_]?/g;

/**
 * Control characters but for tab and line feed, and what is not displayed: zero-width, bidirectional, variation and tag
 * characters, and annotation marks.
 */
const INVISIBLE =
  /[^\P{Cc}\t\n]|\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}|[\ufff9-\ufffb]/gu;

/**
 * A stranger's text as a person would see it: without control, bidirectional and zero-width characters, ANSI sequences
 * and HTML comments, and at most `maxLength` UTF-16 units long.
 */
export function cleanText(text: string, maxLength: number): string {
  const visible = text
    .slice(0, maxLength * READ_FACTOR)
    .toWellFormed()
    .replaceAll(ANSI, '')
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(INVISIBLE, '');
  return shorten(removeComments(visible).trim(), maxLength);
}

/** A stranger's text on one line. */
export function cleanLine(text: string, maxLength: number): string {
  return cleanText(text.slice(0, maxLength * READ_FACTOR).replaceAll(/\s+/g, ' '), maxLength);
}

/** A comment without an end hides everything after it. */
function removeComments(text: string): string {
  let rest = text;
  for (let pass = 0; pass < MAX_COMMENT_PASSES && rest.includes('<!--'); pass++) {
    rest = rest.replaceAll(/<!(?=--)[\s\S]*?(?:-->|$)/g, '');
  }
  const open = rest.indexOf('<!--');
  return open < 0 ? rest : rest.slice(0, open);
}

/** Cut at the last whole word, with a mark. */
function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text
    .slice(0, maxLength - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '');
  const space = cut.search(/\s\S*$/);
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
