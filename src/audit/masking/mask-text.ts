import { maskNumbers } from './mask-numbers.ts';
import { meaningOf, type NameMeaning } from './property-names.ts';

/** A text without any of these has nothing to mask: signs of addresses and pairs, nine digits, a long word, a token. */
const SIGNS = '[@=%"]';
const SUSPICIOUS_SHORT = new RegExp(SIGNS);
const SUSPICIOUS = new RegExp(
  `${SIGNS}|(?<!\\d)\\d(?:[ .()+-]{0,3}\\d){8}|\\b(?:[\\w-]{15}|ya29\\.|[Bb](?:[Ee][Aa][Rr][Ee][Rr]|[Aa][Ss][Ii][Cc])[\\s+])|-----B`,
);
/** Dates, codes and numbers: the most common suspicious texts, and quick to clear. */
const NUMBERS_ONLY = /^[\d .:()+/-]*$/;

/**
 * Replaces keys, tokens, passwords, mail addresses and resident, card and telephone numbers with `[masked:...]`, also if
 * the text is percent-encoded. `meaning` is the meaning of the name of the text's property. Text with nothing to mask is
 * returned unchanged.
 */
export function maskText(text: string, meaning: NameMeaning = 'plain'): string {
  const suspicious = text.length < 9 ? SUSPICIOUS_SHORT : SUSPICIOUS;
  if (!suspicious.test(text)) return text;
  if (NUMBERS_ONLY.test(text)) return maskNumbers(text, meaning);
  const decoded = text.includes('%') ? decodePercent(text) : text;
  const masked = maskNumbers(maskSecrets(decoded), meaning);
  return masked === decoded ? text : masked;
}

const ASCII_BYTE = /%[0-7][0-9a-f]/gi;

/** If the bytes are not valid UTF-8, decodes at least the ASCII bytes among them. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(ASCII_BYTE, decodeURIComponent);
  }
}

/** The most characters of a client's name. The dialect may have cut a name of this length. */
const MAX_LENGTH = 100;

/** Cache of names with nothing to mask: few clients make many calls. */
const HARMLESS = new Set<string>();
const MAX_HARMLESS = 500;

/** The name of a client for the audit record. */
export function maskClientName(name: string): string {
  if (HARMLESS.has(name)) return name;
  const masked = maskText(name.length < MAX_LENGTH ? name : withoutCutEnd(name));
  if (masked === name) {
    if (HARMLESS.size >= MAX_HARMLESS) HARMLESS.clear();
    HARMLESS.add(name);
  }
  return masked;
}

const LETTER = /\p{L}/u;
const LONG_NAME = '[long name]';

/** Half a number would not be recognised, so a cut name ends with its last whole word of letters. */
function withoutCutEnd(name: string): string {
  if (name.includes('%')) return LONG_NAME;
  const words = name.slice(0, MAX_LENGTH).split(/\s/);
  words.pop();
  while (words.length > 0 && !LETTER.test(words.at(-1) ?? '')) words.pop();
  return words.join(' ') || LONG_NAME;
}

/** Replaces a match, or returns it unchanged. */
interface Rule {
  readonly pattern: RegExp;
  readonly replace: (found: string, ...groups: string[]) => string;
}

/** Tokens with a recognisable prefix, which their issuers publish for secret scanners. */
const TOKENS = [
  'gh[pousr]_[0-9A-Za-z]{16,}', // GitHub
  'github_pat_\\w{16,}',
  'glpat-[\\w-]{16,}', // GitLab
  '(?<![0-9A-Za-z])[sr]k[-_][\\w-]{16,}', // Stripe, OpenAI, Anthropic
  'whsec_[\\w+/=-]{16,}', // Stripe
  '(?:AKIA|ASIA)[0-9A-Z]{16}', // AWS
  'x(?:ox[abeprs]|app)-[\\w-]{10,}', // Slack
  'AIza[\\w-]{30,}', // Google
  'ya29\\.[\\w.-]{10,}',
  'npm_[0-9A-Za-z]{20,}',
  'hf_[0-9A-Za-z]{16,}', // Hugging Face
  'eyJ[\\w+/=-]{16,}', // JSON in base64
].join('|');

/** Every pattern must run in linear time, because the text comes from callers. */
const RULES: readonly Rule[] = [
  {
    pattern:
      /-----BEGIN[A-Z +]{0,40}PRIVATE[ +]KEY-----(?:(?!-----END)[\s\S])*(?:-----END[A-Z +]{0,50}-----)?/g,
    replace: () => '[masked:private-key]',
  },
  { pattern: /tg_(?:live|at|rt|ac|cs)_[0-9A-Za-z]+/g, replace: () => '[masked:api-key]' },
  { pattern: /[\w.-]+/g, replace: maskJwt },
  { pattern: new RegExp(TOKENS, 'g'), replace: () => '[masked:token]' },
  {
    pattern: /\b(bearer)[\s+]+([\w.~+/=-]{8,})/gi,
    replace: (found, scheme, token) => (isPlainWord(token) ? found : `${scheme} [masked:token]`),
  },
  {
    pattern: /\b(basic)[\s+]+([\w+/-]{6,}={0,2})/gi,
    replace: (found, scheme, token) =>
      Buffer.from(token, 'base64').includes(':') ? `${scheme} [masked:token]` : found,
  },
  {
    // User name and password in a URL (RFC 3986, section 3.2.1).
    pattern: /:\/\/([^\s/?#]*)@/g,
    replace: (found, user) => (user.includes(':') ? '://[masked:secret]@' : found),
  },
  {
    pattern: /(?<![\p{L}\p{N}_-])([\p{L}\p{N}_-]{1,64})=(?!\[masked)([^&\s#]+)/gu,
    replace: (found, name, value) =>
      `${name}=${maskNamed(name, value) ?? found.slice(name.length + 1)}`,
  },
  {
    // A member of a JSON object.
    pattern: /"([\p{L}\p{N}_-]{1,64})"(\s{0,8}:\s{0,8})("(?:[^"\\]|\\.)*"|-?\d+)/gu,
    replace: (found, name, colon, value) => {
      const masked = maskNamed(name, value);
      return masked === undefined ? found : `"${name}"${colon}"${masked}"`;
    },
  },
];

/** Replaces keys, tokens, passwords and mail addresses with `[masked:...]`. */
const maskSecrets = (text: string): string =>
  maskMail(RULES.reduce((masked, { pattern, replace }) => masked.replace(pattern, replace), text));

/** A JSON Web Token: words joined by dots, the first of which is JSON in base64. */
function maskJwt(words: string): string {
  const start = words.indexOf('eyJ');
  return start >= 0 && words.includes('.', start)
    ? `${words.slice(0, start)}[masked:token]`
    : words;
}

/** "Bearer securities" is not a credential. */
const isPlainWord = (text: string): boolean => /^[A-Z]?[a-z]{1,19}$/.test(text);

/** The label that replaces a value with this name; undefined if the name requires none. */
function maskNamed(name: string, value: string): string | undefined {
  const meaning = meaningOf(name);
  if (value.startsWith('"[masked')) return undefined;
  return meaning === 'secret' || meaning === 'personal' ? `[masked:${meaning}]` : undefined;
}

const DOMAIN = '(?:[\\p{L}\\p{N}-]{1,63}\\.){1,8}[\\p{L}\\p{N}-]{2,63}';
const ADDRESS_LITERAL = '\\[[0-9A-Fa-f:.IPv]{3,50}\\]';
const HOST = new RegExp(`@(?:${DOMAIN}|${ADDRESS_LITERAL})`, 'gu');

/** A character of the local part, or half of a surrogate pair. */
const LOCAL = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~\ud800-\udfff-]/u;
const MAX_LOCAL = 64;

/**
 * Replaces mail addresses (RFC 5321, section 4.1.2) with `[masked:email]`. Searches for the host first and then backwards
 * for the local part: in the other direction, every letter could start an address.
 */
function maskMail(text: string): string {
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
