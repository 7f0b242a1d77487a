import { isUtf8 } from 'node:buffer';
import type { DomainCharset } from './payload-domain.ts';

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

/** Canonical name of a declared charset; undefined if it is unknown. */
function encodingOf(label: string | undefined, charset: DomainCharset): string | undefined {
  if (label === undefined) return undefined;
  if (charset.aliases.test(label)) return charset.encoding;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

const fromContentType = (contentType: string): string | undefined =>
  /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1];

/** Most bodies start with a brace and need no search. */
const fromXmlDeclaration = (body: Buffer): string | undefined =>
  body[0] === 0x7b
    ? undefined
    : /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)/.exec(body.toString('latin1', 0, 256))?.[1];

/** UTF-16 is recognised by its bytes; a declaration alone is a mistake of the server. */
function utf16Of(body: Buffer): string | undefined {
  const a = body[0];
  const b = body[1];
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0)) return 'utf-16le';
  if ((a === 0xfe && b === 0xff) || (a === 0 && b !== 0)) return 'utf-16be';
  return undefined;
}

/**
 * The decoders to try, best first: the declared charset, then UTF-8, then the domain's. Many servers declare a Western
 * charset only because it is their default, and all bytes are valid in it, so it comes after UTF-8.
 */
function* attempts(
  declared: readonly (string | undefined)[],
  charset: DomainCharset,
): Generator<Decode> {
  const isWestern = (encoding: string | undefined): boolean => encoding === 'windows-1252';
  for (const encoding of declared) {
    if (encoding === charset.encoding) yield charset.decode;
    else if (encoding === 'utf-8') yield decodeUtf8;
    else if (encoding && !isWestern(encoding) && !encoding.startsWith('utf-16')) {
      yield decoderOf(encoding);
    }
  }
  yield decodeUtf8;
  if (declared.some(isWestern)) yield decoderOf('windows-1252');
  yield charset.decode;
}

function decodeText(body: Buffer, contentType: string, charset: DomainCharset): string {
  const utf16 = utf16Of(body);
  if (utf16) return new TextDecoder(utf16).decode(body);
  const declared = [fromContentType(contentType), fromXmlDeclaration(body)].map((label) =>
    encodingOf(label, charset),
  );
  let lossy = decodeUtf8;
  for (const [index, decode] of [...attempts(declared, charset)].entries()) {
    const text = decode(body, false);
    if (text !== null) return text;
    if (index === 0) lossy = decode;
  }
  return lossy(body, true) ?? body.toString('latin1');
}

const hasByteOrderMark = (body: Buffer): boolean =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;

/** Returns a body in UTF-8, without a byte order mark. */
export type ToUtf8 = (body: Buffer, contentType: string) => Buffer;

/**
 * Creates the converter to UTF-8, which returns the very same bytes when they are UTF-8 already. It follows the declared
 * charset (byte order mark, content-type, XML declaration) unless the bytes are invalid in it. It never fails; bytes
 * that are invalid in every charset become U+FFFD.
 */
export function createUtf8Converter(charset: DomainCharset): ToUtf8 {
  const toUtf8: ToUtf8 = (body, contentType) =>
    hasByteOrderMark(body)
      ? toUtf8(body.subarray(3), 'charset=utf-8')
      : convert(body, contentType, charset);
  return toUtf8;
}

function convert(body: Buffer, contentType: string, charset: DomainCharset): Buffer {
  const label = fromContentType(contentType) ?? fromXmlDeclaration(body);
  const isUtf8Expected = label === undefined || /^utf-?8$/i.test(label);
  // Zero bytes are valid UTF-8, too, so UTF-16 has to be recognised first.
  return isUtf8Expected && utf16Of(body) === undefined && isUtf8(body)
    ? body
    : Buffer.from(decodeText(body, contentType, charset));
}
