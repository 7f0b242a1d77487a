/** References that XML itself knows, and references by number. */
const KNOWN = /^&(?:(?:amp|lt|gt|quot|apos);|#(?:(\d{1,8})|x([0-9a-fA-F]{1,8}));)/;

/** The longest of these. */
const MAX_REFERENCE = 12;

const NO_BREAK_SPACE = '&nbsp;';

/** The parts of XML in which `&` is an ordinary character. */
const VERBATIM: readonly (readonly [start: string, end: string])[] = [
  ['<![CDATA[', ']]>'],
  ['<!--', '-->'],
  ['<?', '?>'],
];

/** Characters that XML forbids (XML 1.0, Char), however they are written. Lone surrogates cannot occur in UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what upstreams send by mistake.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * Repairs what upstreams often get wrong in otherwise good XML: control characters become spaces, as they do in JSON,
 * `&nbsp;` becomes a no-break space, and an `&` that starts no reference stands for itself. Returns the same string if
 * there is nothing to repair. Reads the text once.
 */
export function cleanXml(xml: string): string {
  const text = xml.replace(FORBIDDEN, ' ');
  const parts: string[] = [];
  let copied = 0;
  let at = text.indexOf('&');
  let verbatim = nextVerbatim(text, 0);
  while (at >= 0) {
    while (verbatim !== null && verbatim.end <= at) verbatim = nextVerbatim(text, verbatim.end);
    if (verbatim !== null && verbatim.start < at) {
      at = text.indexOf('&', verbatim.end);
      continue;
    }
    const [length, by] = repairAt(text, at);
    if (by !== null) {
      parts.push(text.slice(copied, at), by);
      copied = at + length;
    }
    at = text.indexOf('&', at + length);
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied);
}

/** The length of the reference at `at`, and what replaces it; null if it is good. */
function repairAt(text: string, at: number): readonly [length: number, by: string | null] {
  if (text.startsWith(NO_BREAK_SPACE, at)) return [NO_BREAK_SPACE.length, '\u00a0'];
  const known = KNOWN.exec(text.slice(at, at + MAX_REFERENCE));
  if (!known) return [1, '&amp;'];
  const [reference, decimal, hexadecimal] = known;
  const digits = decimal ?? hexadecimal;
  if (digits === undefined) return [reference.length, null];
  const codePoint = Number.parseInt(digits, decimal === undefined ? 16 : 10);
  return [reference.length, isAllowed(codePoint) ? null : ' '];
}

const isAllowed = (codePoint: number): boolean =>
  codePoint === 0x9 ||
  codePoint === 0xa ||
  codePoint === 0xd ||
  (codePoint >= 0x20 && codePoint <= 0xd7ff) ||
  (codePoint >= 0xe000 && codePoint <= 0xfffd) ||
  (codePoint >= 0x10000 && codePoint <= 0x10ffff);

interface Section {
  readonly start: number;
  readonly end: number;
}

/** The next section from `from` in which nothing is repaired. An open one extends to the end of the text. */
function nextVerbatim(text: string, from: number): Section | null {
  for (let start = text.indexOf('<', from); start >= 0; start = text.indexOf('<', start + 1)) {
    for (const [opening, closing] of VERBATIM) {
      if (!text.startsWith(opening, start)) continue;
      const end = text.indexOf(closing, start + opening.length);
      return { start, end: end < 0 ? text.length : end + closing.length };
    }
  }
  return null;
}
