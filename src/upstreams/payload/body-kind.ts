/** The kind of a body, according to its first bytes: the content-type is wrong too often. */
type BodyKind = 'empty' | 'json' | 'xml' | 'other';

const SKIPPED = new Set([0xef, 0xbb, 0xbf, 0xfe, 0xff, 0x00, 0x20, 0x09, 0x0a, 0x0d]);

/** Checks the first character after blanks, byte order marks and the zero bytes of UTF-16. */
export function kindOf(body: Buffer, contentType: string): BodyKind {
  const first = body.find((byte) => !SKIPPED.has(byte));
  if (first === undefined) return 'empty';
  if (first === 0x3c) return 'xml';
  if (first === 0x7b || first === 0x5b) return 'json';
  return /[/+]json\b/i.test(contentType) ? 'json' : 'other';
}
