import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Credentials } from '../../access/people/first-administrator.ts';

const FILE_NAME = 'admin-password';

/**
 * The credentials of the first administrator, for the banner of a terminal. Elsewhere the output of a process is stored, so
 * they are written to a file of DATA_DIR that only its owner can read. Null if there is nothing to show.
 */
export function hideUnlessTerminal(
  created: Credentials | null,
  dataDir: string,
  logger: Pick<Logger, 'warn'>,
): { email: string; password: string } | null {
  if (!created?.password) return null;
  const { email } = created;
  const password = created.password.reveal();
  if (process.stdout.isTTY) return { email, password };
  const path = join(dataDir, FILE_NAME);
  writeFileSync(path, `${email}\n${password}\n`, { mode: 0o600, flush: true });
  logger.warn(
    `The first administrator of the dashboard was created. Its e-mail address and password are in ${path}; delete the file after signing in.`,
  );
  return null;
}
