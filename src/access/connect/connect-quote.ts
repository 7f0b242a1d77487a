/** A word of a POSIX shell command line. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A Python string literal. Python supports every escape of JSON. */
export const pythonString = (text: string): string => JSON.stringify(text);

/** A basic string of TOML, which has the escapes of JSON, and does not allow DEL. */
export const tomlString = (text: string): string =>
  JSON.stringify(text).replaceAll('\u007f', '\\u007f');

/** A TypeScript string literal, in single quotes as most programs use them. */
export const typescriptString = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
