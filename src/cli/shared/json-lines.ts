/** One JSON value per line, as `--json` of lists prints them. */
export const jsonLines = (values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');
