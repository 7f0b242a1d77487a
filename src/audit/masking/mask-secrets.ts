import { maskMail } from './mask-mail.ts';
import { meaningOf } from './property-names.ts';

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
  { pattern: /tg_live_[0-9A-Za-z]+/g, replace: () => '[masked:api-key]' },
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
  {
    // Korean passports: a letter and eight digits until 2021, since then with a letter among the digits.
    pattern:
      /(?<![0-9A-Za-z])(?:[MS](?!(?:19|20)\d\d[01]\d)\d{8}|[MSRGD]\d{3}[A-Z]\d{4})(?![0-9A-Za-z])/gi,
    replace: () => '[masked:passport]',
  },
];

/** Replaces keys, tokens, passwords, mail addresses and passport numbers in a folded text with `[masked:...]`. */
export const maskSecrets = (text: string): string =>
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
