/** What the first bytes say a body is; the content-type is wrong too often to be asked first. */
type BodyKind = 'empty' | 'json' | 'xml' | 'other';

const SKIPPED = new Set([0xef, 0xbb, 0xbf, 0xfe, 0xff, 0x00, 0x20, 0x09, 0x0a, 0x0d]);

/** Looks past blanks, byte order marks and the zero bytes of UTF-16 at the first character. */
export function kindOf(body: Buffer, contentType: string): BodyKind {
  const first = body.find((byte) => !SKIPPED.has(byte));
  if (first === undefined) return 'empty';
  if (first === 0x3c) return 'xml';
  if (first === 0x7b || first === 0x5b) return 'json';
  return /[/+]json\b/i.test(contentType) ? 'json' : 'other';
}
