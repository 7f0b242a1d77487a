import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import type pino from 'pino';
import type { Closeable } from '../../platform/kernel/closing.ts';
import { atMostOnceAMinute } from '../../platform/kernel/log-lines.ts';

/** Reserved for the database, Redis, upstreams and files when client connections are bounded. */
const RESERVED_DESCRIPTORS = 256;
const CHECK_MS = 1000;

/** How many files, including connections, this process may open; null where the system does not report it. */
export function descriptorLimit(): number | null {
  try {
    const [, limit] =
      /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

/** Limits client connections so that descriptors remain for everything else: at least half of them are for clients. */
export function connectionsWithin(limit: number | null, wanted: number): number {
  if (limit === null) return wanted;
  return Math.min(wanted, limit - Math.min(RESERVED_DESCRIPTORS, Math.ceil(limit / 2)));
}

/**
 * Warns once a minute while the process has no file descriptors left. libuv then closes new connections silently, so the
 * only way to find out is to try to open a file.
 */
export function watchDescriptors(logger: Pick<pino.Logger, 'error'>): Closeable {
  const warn = atMostOnceAMinute(() =>
    logger.error(
      { limit: descriptorLimit() },
      'No file descriptor is left: new connections are dropped. Raise the limit on open files (ulimit -n, LimitNOFILE), or lower MAX_CONNECTIONS.',
    ),
  );
  const timer = setInterval(() => {
    if (!canOpen()) warn();
  }, CHECK_MS).unref();
  return { close: async () => clearInterval(timer) };
}

function canOpen(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code !== 'EMFILE' && code !== 'ENFILE';
  }
}
