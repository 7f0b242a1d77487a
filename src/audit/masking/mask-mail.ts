/** The characters that IDNA treats as dots (RFC 3490, section 3.1). */
const DOT = '[.\\u3002\\uff61]';
const DOMAIN = `(?:[\\p{L}\\p{N}-]{1,63}${DOT}){1,8}[\\p{L}\\p{N}-]{2,63}`;
const ADDRESS_LITERAL = '\\[[0-9A-Fa-f:.IPv]{3,50}\\]';
const HOST = new RegExp(`@(?:${DOMAIN}|${ADDRESS_LITERAL})`, 'gu');

/** A character of the local part, or half of a surrogate pair. */
const LOCAL = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~\ud800-\udfff-]/u;
const MAX_LOCAL = 64;

/**
 * Replaces mail addresses (RFC 5321, section 4.1.2) with `[masked:email]`. Searches for the host first and then backwards
 * for the local part: in the other direction, every letter could start an address.
 */
export function maskMail(text: string): string {
  if (!text.includes('@')) return text;
  let masked = '';
  let copied = 0;
  for (const { 0: host, index: at } of text.matchAll(HOST)) {
    const start = startOfLocal(text, at, copied);
    if (start === at) continue;
    masked += `${text.slice(copied, start)}[masked:email]`;
    copied = at + host.length;
  }
  return masked + text.slice(copied);
}

function startOfLocal(text: string, at: number, from: number): number {
  const first = Math.max(from, at - MAX_LOCAL);
  if (text.charAt(at - 1) === '"') {
    const quote = text.lastIndexOf('"', at - 2);
    return quote >= first ? quote : at;
  }
  let start = at;
  while (start > first && LOCAL.test(text.charAt(start - 1))) start--;
  return start;
}
