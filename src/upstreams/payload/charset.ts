import { isUtf8 } from 'node:buffer';
import type { DomainCharset } from './payload-domain.ts';

type Decode = (bytes: Buffer, lossy: boolean) => string | null;

const decodeUtf8: Decode = (bytes, lossy) =>
  lossy || isUtf8(bytes) ? bytes.toString('utf8') : null;

function decoderOf(encoding: string): Decode {
  if (encoding === 'utf-8') return decodeUtf8;
  return (bytes, lossy) => {
    try {
      return new TextDecoder(encoding, { fatal: !lossy }).decode(bytes);
    } catch {
      return null;
    }
  };
}

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
  const [a, b] = body;
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0)) return 'utf-16le';
  if ((a === 0xfe && b === 0xff) || (a === 0 && b !== 0)) return 'utf-16be';
  return undefined;
}

/**
 * The decoders to try, best first: the declared charset, then UTF-8, then the domain's. Many servers declare a Western
 * charset only because it is their default, and all bytes are valid in it, so it comes after UTF-8.
 */
function decodersFor(labels: readonly (string | undefined)[], charset: DomainCharset): Decode[] {
  const declared = labels.flatMap((label) => encodingOf(label, charset) ?? []);
  const believed = declared.filter((name) => name !== WESTERN && !name.startsWith('utf-16'));
  return [
    ...believed.map((name) => (name === charset.encoding ? charset.decode : decoderOf(name))),
    decodeUtf8,
    ...(declared.includes(WESTERN) ? [decoderOf(WESTERN)] : []),
    charset.decode,
  ];
}

const WESTERN = 'windows-1252';

/** Returns a body in UTF-8, without a byte order mark. */
export type ToUtf8 = (body: Buffer, contentType: string) => Buffer;

/**
 * Creates the converter to UTF-8, which returns the very same bytes when they are UTF-8 already. It follows the declared
 * charset (byte order mark, content-type, XML declaration) unless the bytes are invalid in it. It never fails; bytes
 * that are invalid in every charset become U+FFFD.
 */
export function createUtf8Converter(charset: DomainCharset): ToUtf8 {
  return function toUtf8(body, contentType) {
    const hasByteOrderMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
    if (hasByteOrderMark) return toUtf8(body.subarray(3), 'charset=utf-8');
    // Zero bytes are valid UTF-8, too, so UTF-16 has to be recognised first.
    const utf16 = utf16Of(body);
    if (utf16) return Buffer.from(new TextDecoder(utf16).decode(body));
    const labels = [fromContentType(contentType), fromXmlDeclaration(body)];
    const label = labels[0] ?? labels[1];
    if ((label === undefined || /^utf-?8$/i.test(label)) && isUtf8(body)) return body;
    return Buffer.from(decodeText(body, decodersFor(labels, charset)));
  };
}

function decodeText(body: Buffer, decoders: readonly Decode[]): string {
  for (const decode of decoders) {
    const text = decode(body, false);
    if (text !== null) return text;
  }
  return decoders[0]?.(body, true) ?? body.toString('latin1');
}
