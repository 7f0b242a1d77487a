/** A word of a POSIX shell's command line. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A string literal of Python, which knows every escape of JSON. */
export const pythonString = (text: string): string => JSON.stringify(text);

/** A string literal of TypeScript, in the quotes that its programs mostly use. */
export const typescriptString = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
