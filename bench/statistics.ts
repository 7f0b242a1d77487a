import { setTimeout as sleep } from 'node:timers/promises';
import { openAudit } from '../src/audit/audit.ts';
import { type Database, openDatabase } from '../src/platform/database/database.ts';
import type { Secret } from '../src/platform/kernel/secret.ts';
import { systemClock } from '../src/platform/kernel/time.ts';
import { openStatistics, type Statistics } from '../src/statistics/open-statistics.ts';
import { eachDatabase } from './each-database.ts';
import { createRecordMaker, fillRecords, type RecordedCalls } from './fill-records.ts';

/**
 * Counts N records of the past 30 days, and reports how long counting them and reading the figures takes: of the
 * embedded database, and of PostgreSQL if TEST_DATABASE_URL names a server. Usage: npm run bench:statistics [-- N]
 */
const [total = 1_000_000] = process.argv.slice(2).map(Number);
const DAY_MS = 86_400_000;
const COMMITS_MS = 20_000;
const NOW = Date.now();
const [TENANTS, KEYS, TOOLS] = [5, 100, 120];
const CALLS: RecordedCalls = {
  total,
  untilMs: NOW,
  keys: Array.from({ length: KEYS }, (_, n) => ({
    tenantId: `ten_${n % TENANTS}`,
    apiKeyId: `key_${n}`,
  })),
  tools: Array.from({ length: TOOLS }, (_, n) => ({
    name: `tool_${n}`,
    id: `category.preset.tool_${n}`,
  })),
  upstreams: 20,
};
const makeRecord = createRecordMaker(CALLS);

const print = console.log;

async function timed(title: string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let n = 0; n < 5; n++) {
    const startedMs = performance.now();
    await work();
    times.push(performance.now() - startedMs);
  }
  const [first = 0, ...rest] = times;
  const median = rest.toSorted((a, b) => a - b)[1] ?? 0;
  print(`  ${title}: ${median.toFixed(1)} ms, at first ${first.toFixed(1)} ms`);
}

async function readAll(statistics: Statistics): Promise<void> {
  const range = (days: number) => ({ fromMs: NOW - days * DAY_MS, toMs: NOW });
  const keys = Array.from({ length: 100 }, (_, n) => `key_${n}`);
  const tools = Array.from({ length: 100 }, (_, n) => `category.preset.tool_${n}`);
  for (const tenantId of [null, 'ten_0']) {
    const whose = tenantId ?? 'all tenants';
    for (const days of [0.25, 1, 14, 30]) {
      for (const by of ['none', 'tool'] as const) {
        const query = { tenantId, ...range(days), by, top: by === 'none' ? 5 : 20 };
        await timed(`series, ${whose}, ${days} days, by ${by}`, () => statistics.series(query));
      }
    }
    await timed(`totals, ${whose}, 30 days, top 20 keys`, () =>
      statistics.totals({ tenantId, ...range(30), by: 'key', top: 20 }),
    );
  }
  await timed('usage of 100 keys', () => statistics.keyUsage('ten_0', keys));
  await timed('summary of 100 tools', () => statistics.toolSummary(null, tools));
}

const open = async (dataDir: string, database: Database, databaseUrl?: Secret) => {
  const onError = (error: unknown): void => print(error);
  const statistics = openStatistics({ dataDir, databaseUrl, clock: systemClock, onError });
  const audit = await openAudit({
    dataDir,
    database,
    clock: systemClock,
    fsync: false,
    retentionDays: 0,
    maxOutboxRecords: 5_000_000,
    onCommitted: statistics.count,
    onError,
  });
  return { audit, statistics };
};

/** How long commits of calls take while they are counted: 20 at once, every 50 ms. */
async function commitTimes({ audit }: Awaited<ReturnType<typeof open>>): Promise<string> {
  const times: number[] = [];
  for (const untilMs = performance.now() + COMMITS_MS; performance.now() < untilMs; ) {
    const startedMs = performance.now();
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => audit.ledger.append(makeRecord(total - n))),
    );
    times.push(performance.now() - startedMs);
    await sleep(50);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(0.9999)} ms of ${sorted.length}`;
}

async function run(database: Database, dataDir: string, databaseUrl?: Secret): Promise<void> {
  print(`\n${database.backend}, ${total.toLocaleString('en')} records`);
  await database.migrate();
  const parts = await open(dataDir, database, databaseUrl);
  const { statistics, audit } = parts;
  let countedMs = 0;
  await fillRecords(database, dataDir, CALLS, async (rows) => {
    const startedMs = performance.now();
    statistics.count(rows);
    await statistics.flush();
    countedMs += performance.now() - startedMs;
  });
  print(`  counting: ${(countedMs / 1000).toFixed(1)} s`);
  print(`  commits: ${await commitTimes(parts)}`);
  await readAll(statistics);
  await audit.close();
  await statistics.close();
}

await eachDatabase(async ({ dataDir, databaseUrl }) => {
  const database = openDatabase({ dataDir, databaseUrl });
  await run(database, dataDir, databaseUrl).finally(database.close);
});
