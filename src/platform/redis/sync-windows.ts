import type { Report, Standing, SyncTallies } from '../kernel/counter.ts';
import type { RedisConnection } from './redis-connection.ts';

/** Names in one script, so that it does not occupy Redis for long. */
export const MAX_BATCH = 500;

/** ARGV: milliseconds of a window, then the points of each name. Returns each name's total, and when its window ends. */
const COUNT = `
local standings = {}
for i, name in ipairs(KEYS) do
  local total = redis.call('incrby', name, ARGV[i + 1])
  local ms = redis.call('pttl', name)
  if ms < 0 then
    redis.call('pexpire', name, ARGV[1])
    ms = tonumber(ARGV[1])
  end
  standings[i] = {total, ms}
end
return standings
`;

interface CountingClient {
  countWindows(
    names: number,
    ...args: readonly (string | number)[]
  ): Promise<readonly (readonly [total: number, leftMs: number])[]>;
}

export interface SyncWindowsOptions {
  readonly redis: Pick<RedisConnection, 'client'>;
  readonly keyPrefix: string;
  readonly windowMs: number;
}

/** Creates what counts in windows that all replicas share: a window starts with the first points of its name. */
export function createSyncWindows({
  redis: { client },
  keyPrefix,
  windowMs,
}: SyncWindowsOptions): SyncTallies {
  client.defineCommand('countWindows', { lua: COUNT });
  const counting = client as unknown as CountingClient;

  async function count(reports: readonly Report[]): Promise<Standing[]> {
    const sentMs = performance.now();
    const names = reports.map(({ tally }) => `${keyPrefix}:${tally.name}`);
    const points = reports.map((report) => report.points);
    const replies = await counting.countWindows(names.length, ...names, windowMs, ...points);
    // Counted from the question, so it may be early by one round trip.
    return replies.map(([total, leftMs]) => ({ total, endMs: sentMs + leftMs }));
  }

  return async (reports) => {
    const batches: Promise<Standing[]>[] = [];
    for (let from = 0; from < reports.length; from += MAX_BATCH) {
      batches.push(count(reports.slice(from, from + MAX_BATCH)));
    }
    return (await Promise.all(batches)).flat();
  };
}
