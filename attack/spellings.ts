/** The inside of JSON strings whose text is the secret. */
export const jsonStringsOf = (secret: string): string[] => [
  [...secret].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  secret.replaceAll('/', '\\/'),
];

/** The spellings that are hidden of a secret that an upstream repeats (docs/contract.md#payloads). */
export function spellingsOf(secret: string): string[] {
  const characters = [...secret];
  const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
  const percent = (character: string): string => `%${hex(character)}`;
  const each = (spell: (character: string) => string): string => characters.map(spell).join('');
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).replace(/%../g, (spelling) => spelling.toLowerCase()),
    each(percent),
    each((character) => percent(character).toUpperCase()),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('hex').toUpperCase(),
    base64(secret),
    base64(`user:${secret}`),
    base64(`user:${secret}:more`),
    Buffer.from(secret).toString('base64url'),
    `see https://upstream.invalid/?serviceKey=${encodeURIComponent(secret)}&page=1`,
    `<a href="?key=${secret}">again</a>`,
  ];
}
