import { isUtf8 } from 'node:buffer';
import { decodeWindows949 } from './windows-949.ts';

/** Names that Korean servers use for EUC-KR and the Encoding Standard does not list. */
const KOREAN_ALIASES = /^(x-)?(cp|ms|windows-)?949$|^(x-)?uhc$/i;

type Decode = (bytes: Buffer, lossy: boolean) => string | null;

const decodeUtf8: Decode = (bytes, lossy) =>
  lossy || isUtf8(bytes) ? bytes.toString('utf8') : null;

const decoderOf =
  (encoding: string): Decode =>
  (bytes, lossy) => {
    try {
      return new TextDecoder(encoding, { fatal: !lossy }).decode(bytes);
    } catch {
      return null;
    }
  };

/** Canonical name of a declared charset; undefined for one that nobody knows. */
function encodingOf(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  if (KOREAN_ALIASES.test(label)) return 'euc-kr';
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

const fromContentType = (contentType: string): string | undefined =>
  /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1];

/** Most bodies begin with a brace, and need not be searched. */
const fromXmlDeclaration = (body: Buffer): string | undefined =>
  body[0] === 0x7b
    ? undefined
    : /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)/.exec(body.toString('latin1', 0, 256))?.[1];

/** UTF-16 shows in the bytes; a declaration of it in bytes that are not is a mistake. */
function utf16Of(body: Buffer): string | undefined {
  const a = body[0];
  const b = body[1];
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0)) return 'utf-16le';
  if ((a === 0xfe && b === 0xff) || (a === 0 && b !== 0)) return 'utf-16be';
  return undefined;
}

/**
 * What to try, best first: what is declared, then UTF-8, then EUC-KR. Many servers declare a Western charset only
 * because it is their default, and any bytes pass for it, so that comes after UTF-8.
 */
function* attempts(declared: readonly (string | undefined)[]): Generator<Decode> {
  const isWestern = (encoding: string | undefined): boolean => encoding === 'windows-1252';
  for (const encoding of declared) {
    if (encoding === 'euc-kr') yield decodeWindows949;
    else if (encoding === 'utf-8') yield decodeUtf8;
    else if (encoding && !isWestern(encoding) && !encoding.startsWith('utf-16')) {
      yield decoderOf(encoding);
    }
  }
  yield decodeUtf8;
  if (declared.some(isWestern)) yield decoderOf('windows-1252');
  yield decodeWindows949;
}

function decodeText(body: Buffer, contentType: string): string {
  const utf16 = utf16Of(body);
  if (utf16) return new TextDecoder(utf16).decode(body);
  const declared = [fromContentType(contentType), fromXmlDeclaration(body)].map(encodingOf);
  let lossy = decodeUtf8;
  for (const [index, decode] of [...attempts(declared)].entries()) {
    const text = decode(body, false);
    if (text !== null) return text;
    if (index === 0) lossy = decode;
  }
  return lossy(body, true) ?? body.toString('latin1');
}

const hasByteOrderMark = (body: Buffer): boolean =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;

/**
 * The body in UTF-8, without a byte order mark: the very same bytes when they are UTF-8 already. The declared charset
 * is followed (byte order mark, content-type, XML declaration) unless the bytes are not valid in it. Never fails;
 * bytes that mean nothing in any charset become U+FFFD.
 */
export function toUtf8(body: Buffer, contentType: string): Buffer {
  if (hasByteOrderMark(body)) return toUtf8(body.subarray(3), 'charset=utf-8');
  const label = fromContentType(contentType) ?? fromXmlDeclaration(body);
  const isUtf8Expected = label === undefined || /^utf-?8$/i.test(label);
  // Zero bytes are valid UTF-8, too, so text in UTF-16 has to be told apart first.
  return isUtf8Expected && utf16Of(body) === undefined && isUtf8(body)
    ? body
    : Buffer.from(decodeText(body, contentType));
}
