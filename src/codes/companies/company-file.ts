import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { COMPANY_LIMITS } from './company.ts';

/** Where the list is from and when it was fetched: the first line of its file. */
export interface Origin {
  readonly source: string;
  readonly fetchedAtMs: number;
}

export const printOrigin = ({ source, fetchedAtMs }: Origin): string =>
  `# ${source} ${new Date(fetchedAtMs).toISOString()}`;

/** Reads the first line of a file; undefined if it is not such a line. */
function readOrigin(bytes: Buffer): Origin | undefined {
  const line = bytes.toString('utf8', 0, bytes.indexOf('\n'));
  const [, source, time = ''] = /^# (\S+) (\S+)$/.exec(line) ?? [];
  const fetchedAtMs = Date.parse(time);
  return source === undefined || Number.isNaN(fetchedAtMs) ? undefined : { source, fetchedAtMs };
}

/** The list that was kept in a file; undefined if the file is missing or cannot be used. */
export async function readCompanyFile(
  path: string,
): Promise<(Origin & { readonly bytes: Buffer }) | undefined> {
  try {
    if ((await stat(path)).size > COMPANY_LIMITS.xmlBytes) return undefined;
    const bytes = await readFile(path);
    const origin = readOrigin(bytes);
    return origin && { ...origin, bytes };
  } catch {
    return undefined;
  }
}

/** Replaces the file as a whole: a crash leaves the old one or the new one. */
export async function writeCompanyFile(path: string, bytes: Uint8Array): Promise<void> {
  const next = `${path}.next`;
  try {
    const file = await open(next, 'w', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true }).catch(() => undefined);
    throw error;
  }
}
