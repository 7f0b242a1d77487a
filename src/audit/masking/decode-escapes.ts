const ESCAPES = /(?:%[0-9a-f]{2})+|&(?:#x[0-9a-f]{1,6}|#\d{1,7}|commat);|\\u[0-9a-f]{4}/gi;
const ASCII_BYTE = /%[0-7][0-9a-f]/gi;

/** Decodes percent-encoding, numeric HTML character references and JSON escapes, one level deep. */
export const decodeEscapes = (text: string): string => text.replace(ESCAPES, decode);

function decode(escaped: string): string {
  if (escaped.startsWith('%')) return decodePercent(escaped);
  if (escaped === '&commat;') return '@';
  const hex = /^(?:&#x|\\u)([0-9a-f]+)/i.exec(escaped)?.[1];
  const codePoint = hex === undefined ? Number(escaped.slice(2, -1)) : Number.parseInt(hex, 16);
  return codePoint > 0x10ffff ? escaped : String.fromCodePoint(codePoint);
}

/** If the bytes are not valid UTF-8, decodes at least the ASCII bytes among them. */
function decodePercent(bytes: string): string {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return bytes.replace(ASCII_BYTE, decodeURIComponent);
  }
}
