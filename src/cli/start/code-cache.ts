import { existsSync, lstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** Bits of a mode that let anyone but the owner write, and do anything. */
const OTHERS_WRITE = 0o022;
const OTHERS_ANYTHING = 0o077;

/**
 * The directory for compiled code, made when `mayMake`; null where there is none that only this user can write. Node.js
 * runs what it finds there, so that whoever writes it writes the program. An absent DATA_DIR is never made: that is
 * for a start whose settings have been checked.
 */
export function codeCacheDir(
  dataDir: string,
  mayMake: boolean,
  // Absent on Windows, where a directory has the access rights of the one above it.
  userId = process.getuid?.(),
): string | null {
  const isOurs = ({ uid, mode }: Stats, denied: number): boolean =>
    userId === undefined || (uid === userId && (mode & denied) === 0);
  const directory = join(dataDir, 'code-cache');
  try {
    if (!isOurs(statSync(dataDir), OTHERS_WRITE)) return null;
    if (mayMake && !existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
    // Not what a symbolic link leads to.
    const found = lstatSync(directory);
    return found.isDirectory() && isOurs(found, OTHERS_ANYTHING) ? directory : null;
  } catch {
    // It is a matter of speed alone; a start says itself what is wrong with DATA_DIR.
    return null;
  }
}
