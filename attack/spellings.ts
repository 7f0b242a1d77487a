/** The spellings in which an upstream may repeat a secret that it received. */
export function spellingsOf(secret: string): string[] {
  const characters = [...secret];
  const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
  const percent = (character: string): string => `%${hex(character)}`;
  const each = (spell: (character: string) => string): string => characters.map(spell).join('');
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(encodeURIComponent(secret)),
    encodeURIComponent(secret).replace(/%../g, (spelling) => spelling.toLowerCase()),
    each(percent),
    each((character) => percent(character).toUpperCase()),
    each((character) => `%25${hex(character)}`),
    each((character) => `\\u00${hex(character)}`),
    secret.replaceAll('/', '\\/'),
    each((character) => `&#${character.charCodeAt(0)};`),
    each((character) => `&#x${hex(character)};`),
    secret.replaceAll('&', '&amp;').replaceAll('+', '&plus;'),
    base64(secret),
    base64(`user:${secret}`),
    base64(`user:${secret}:more`),
    Buffer.from(secret).toString('base64url'),
    `see https://upstream.invalid/?serviceKey=${encodeURIComponent(secret)}&page=1`,
    `<a href="?key=${secret}">again</a>`,
  ];
}
