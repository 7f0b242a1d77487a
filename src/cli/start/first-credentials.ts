import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { NewCredentials } from '../../compose/options.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';

/** A credential that this start created: the lines that a terminal shows, or the file that has them. */
export type FirstCredential = { readonly lines: readonly string[] } | { readonly path: string };

/** What the first start creates; null for what existed, and for a sign-in whose password the settings chose. */
export interface FirstCredentials {
  readonly apiKey: FirstCredential | null;
  readonly administrator: FirstCredential | null;
}

/** Where the credentials of a first start are given out. */
export interface Handover {
  /** Elsewhere, the output of a process is stored: credentials go to files that only their owner can read. */
  readonly isTerminal: boolean;
  readonly dataDir: string;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

export function handOverCredentials(
  { apiKey, administrator }: NewCredentials,
  handover: Handover,
): FirstCredentials {
  const { email, password } = administrator ?? {};
  return {
    apiKey:
      apiKey &&
      handOver(handover, {
        what: 'The first API key',
        fileName: 'first-api-key',
        lines: [apiKey.reveal()],
        replacement: commandLine('keys create --tenant default'),
      }),
    administrator:
      email && password
        ? handOver(handover, {
            what: 'The sign-in of the first administrator of the dashboard',
            fileName: 'admin-password',
            lines: [email, password.reveal()],
            replacement: commandLine(`people reset-password ${email}`),
          })
        : null,
  };
}

interface NewCredential {
  readonly what: string;
  readonly fileName: string;
  readonly lines: readonly string[];
  /** The command that creates another, in case that this one is lost. */
  readonly replacement: string;
}

function handOver(
  { isTerminal, dataDir, logger }: Handover,
  { what, fileName, lines, replacement }: NewCredential,
): FirstCredential | null {
  if (isTerminal) return { lines };
  const path = join(dataDir, fileName);
  try {
    // Never through a link, and never with the mode of an earlier file.
    rmSync(path, { force: true });
    writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  } catch (err) {
    logger.error(
      { err },
      `${what} cannot be written to ${path}. To create another, run: ${replacement}`,
    );
    return null;
  }
  logger.warn(`${what} is in ${path}. Delete the file once you have stored it elsewhere.`);
  return { path };
}
