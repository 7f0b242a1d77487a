import { percentEncode } from '../../tools/request/percent-encode.ts';
import type { HiddenSecret } from '../../tools/tool-connection.ts';
import { isShortSecret } from './is-short-secret.ts';

/** Characters to search for, in any escaped form. */
export interface Needle {
  /** UTF-8, each byte mapped by `fold`. */
  readonly bytes: Uint8Array;
  /** Maps each byte to the one that represents all bytes equivalent to it. */
  readonly fold: Uint8Array;
  /** Base64 characters after the needle that contain its last bits. */
  readonly tail: number;
}

function foldOf(same: Readonly<Record<string, string>>): Uint8Array {
  const fold = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (const [from, to] of Object.entries(same)) fold[from.charCodeAt(0)] = to.charCodeAt(0);
  return fold;
}

/** Forms encode a space as a plus sign, and a form decoder turns a bare plus sign into a space. */
const TEXT = foldOf({ '+': ' ' });
/** Both alphabets of base64 (RFC 4648 sections 4 and 5). */
const BASE64 = foldOf({ '+': '-', ' ': '-', '/': '_' });
const ANY_CASE = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

const needle = (bytes: Buffer, fold: Uint8Array, tail = 0): Needle => ({
  bytes: Uint8Array.from(bytes, (byte) => fold[byte] ?? byte),
  fold,
  tail,
});

/** The text itself. */
export const textNeedle = (text: string): Needle => needle(Buffer.from(text), TEXT);

/** The text in any case. */
export const anyCaseNeedle = (text: string): Needle => needle(Buffer.from(text), ANY_CASE);

/**
 * The base64 characters that this text produces within a longer one, at each of the three alignments. Without the
 * characters that also depend on neighbouring bytes.
 */
const base64Needles = (text: string): Needle[] =>
  [0, 1, 2].map((before) => {
    const bytes = Buffer.from(text);
    const base64 = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const bits = (before + bytes.length) * 8;
    const whole = base64.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
    return needle(Buffer.from(whole), BASE64, bits % 6 === 0 ? 0 : 1);
  });

/** Every form of a secret that is long enough to be redacted everywhere. */
export function needlesOf({ value, prefix }: HiddenSecret): Needle[] {
  const trimmed = value.trim();
  const afterScheme = /^[A-Za-z]+ +(\S+)$/.exec(trimmed)?.[1];
  const password = prefix === 'Basic ' ? trimmed.slice(trimmed.indexOf(':') + 1) : undefined;
  const texts = [trimmed, percentDecode(trimmed), afterScheme, password];
  return [...new Set(texts)].flatMap((text) =>
    text === undefined || isShortSecret(text) ? [] : formsOf(text),
  );
}

function formsOf(text: string): Needle[] {
  const inBase64 = [...new Set([text, percentEncode(text.toWellFormed())])];
  return [
    textNeedle(text),
    ...(isLatin1Only(text) ? [needle(Buffer.from(text, 'latin1'), TEXT)] : []),
    ...inBase64.flatMap(base64Needles),
    anyCaseNeedle(Buffer.from(text).toString('hex')),
  ];
}

/** Headers are sent in Latin-1, which differs from UTF-8 beyond ASCII. */
const isLatin1Only = (text: string): boolean =>
  /[\x80-\xff]/.test(text) && !/[\u0100-\uffff]/.test(text);

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
