/** What a command wrote to standard error after the line that names its database. */
export const withoutDatabaseLine = <T extends { readonly stderr: string }>(result: T): T => ({
  ...result,
  stderr: result.stderr.replace(/^Database: .+\n/, ''),
});
