import { existsSync, lstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** Mode bits that let users other than the owner write, and that let them do anything at all. */
const OTHERS_WRITE = 0o022;
const OTHERS_ANYTHING = 0o077;

/**
 * The directory for compiled code, created if `mayCreate`; null unless only this user can write to it. Node.js executes
 * what it finds there, so write access amounts to code execution. A missing DATA_DIR is never created here, because the
 * settings have not been checked yet.
 */
export function codeCacheDir(dataDir: string, mayCreate: boolean): string | null {
  // Undefined on Windows, where a directory inherits the access rights of its parent.
  const userId = process.getuid?.();
  const isOurs = ({ uid, mode }: Stats, denied: number): boolean =>
    userId === undefined || (uid === userId && (mode & denied) === 0);
  const directory = join(dataDir, 'code-cache');
  try {
    if (!isOurs(statSync(dataDir), OTHERS_WRITE)) return null;
    if (mayCreate && !existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
    // A symbolic link is not followed.
    const found = lstatSync(directory);
    return found.isDirectory() && isOurs(found, OTHERS_ANYTHING) ? directory : null;
  } catch {
    // The cache only saves time, and the start itself reports what is wrong with DATA_DIR.
    return null;
  }
}
