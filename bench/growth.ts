import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { openDatabase } from '../src/platform/database/database.ts';
import { newApiKeyText } from '../src/platform/kernel/ids.ts';
import { ADMIN_ENV, type AdminClient, signIn } from '../test/support/admin-client.ts';
import { type BenchPlace, databaseServers, withPlace } from './bench-place.ts';
import { withFile } from './fill-records.ts';
import {
  expectOk,
  grow,
  registerApis,
  type Size,
  TOOLS_OF_API,
  tenantName,
} from './growth-data.ts';
import { ratioOf } from './interval.ts';
import { load, type Target } from './load.ts';
import { requirePrograms, residentMib, stopServer, stopServers } from './processes.ts';
import { quantile } from './quantile.ts';
import { MARKER, startGateway, startUpstream, urlOf } from './servers.ts';

/**
 * What a gateway costs as it grows: `npm run bench:growth`. Fills one in steps of ten, and compares it after each with one
 * that stays small, on the embedded database and on PostgreSQL if TEST_DATABASE_URL names a server.
 */
const { values: options } = parseArgs({
  options: {
    /** Of the four steps. */
    steps: { type: 'string', default: '4' },
    /** Records of the first step; each further one has ten times as many. */
    records: { type: 'string', default: '10000' },
    /** Interleaved rounds of hits. */
    rounds: { type: 'string', default: '10' },
    'no-bars': { type: 'boolean', default: false },
  },
});

const RECORDS = Number(options.records);
const NOTHING: Size = { tenants: 0, keys: 0, apis: 0, records: 0 };
const SIZES: readonly Size[] = [
  { tenants: 1, keys: 100, apis: 2, records: RECORDS },
  { tenants: 10, keys: 1000, apis: 20, records: 10 * RECORDS },
  { tenants: 100, keys: 10_000, apis: 200, records: 100 * RECORDS },
  { tenants: 1000, keys: 100_000, apis: 200, records: 1000 * RECORDS },
].slice(0, Number(options.steps));

const BARS = { hitRatio: 1.05, startRatio: 2, startMs: 6000, restMib: 150 };

const UPSTREAM_URL = urlOf(18_081);
const PORTS = { small: 18_083, large: 18_084 } as const;
type Name = keyof typeof PORTS;

const KEY = newApiKeyText();
/** Until the memory of a start is returned. */
const REST_MS = 6000;
/** Starts, of which the fastest counts. */
const STARTS = 3;
const SAMPLES = 20;

/** A gateway that holds much or little. */
interface Subject {
  readonly name: Name;
  readonly place: BenchPlace;
}

/** In milliseconds, if the name does not say otherwise. */
type Figures = Record<string, number>;

/** DATA_DIR is a folder of the place. */
const databasePlace = ({ place }: Subject): BenchPlace => ({
  ...place,
  dataDir: join(place.dataDir, 'data'),
});

interface Running {
  readonly pid: number;
  readonly url: string;
  readonly startMs: number;
}

async function start({ name, place }: Subject): Promise<Running> {
  const port = PORTS[name];
  const before = performance.now();
  const pid = await startGateway({
    directory: place.dataDir,
    key: KEY,
    port,
    env: {
      ...ADMIN_ENV,
      ALLOW_PRIVATE_UPSTREAMS: 'true',
      LOG_LEVEL: 'error',
      TENANT_RATE_LIMIT_PER_MINUTE: '0',
      ...(place.databaseUrl && { DATABASE_URL: place.databaseUrl.reveal() }),
    },
  });
  return { pid, url: urlOf(port), startMs: performance.now() - before };
}

/** Fills a gateway up to a size. Resolves with texts of keys that it has not seen. */
async function fill(subject: Subject, from: Size, to: Size): Promise<string[]> {
  // The first start creates the tables.
  if (from === NOTHING) await stopServer((await start(subject)).pid);
  const keys = await grow(databasePlace(subject), from, to);
  const { pid, url } = await start(subject);
  await registerApis(await signIn({ url }), UPSTREAM_URL, from, to);
  await stopServer(pid);
  return keys;
}

/** The fastest of some starts, and the one that is left running. */
async function measureStart(subject: Subject): Promise<Running> {
  const starts: number[] = [];
  for (let n = 0; ; n++) {
    const running = await start(subject);
    starts.push(running.startMs);
    if (n === STARTS - 1) return { ...running, startMs: Math.min(...starts) };
    await stopServer(running.pid);
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** The median of the first time for each. */
async function firstTimes<T>(each: readonly T[], work: (one: T) => Promise<unknown>) {
  const times: number[] = [];
  for (const one of each) times.push(await timed(() => work(one)));
  return quantile(times, 0.5);
}

const createClient = (url: string) => {
  const rpc = async (key: string, method: string, params: object = {}) => {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return { status: response.status, text: await response.text() };
  };
  return {
    rpc,
    call: async (key: string, name: string, args: object): Promise<void> => {
      const { status, text } = await rpc(key, 'tools/call', { name, arguments: args });
      if (status !== 200 || !text.includes(MARKER.replaceAll('"', ''))) throw new Error(text);
    },
  };
};

/** Texts of keys that the process has not seen. */
interface UnseenKeys {
  /** Of the first tenant, which has registered APIs. */
  readonly owner: string;
  /** Of the tenants that were added last. */
  readonly others: readonly string[];
}

/** What the first requests of a fresh process take, and those that read or change much. */
async function measureRequests({ url, pid }: Running, keys: UnseenKeys, subject: Subject) {
  const { rpc, call } = createClient(url);
  const { owner } = keys;
  await call(KEY, 'bench_echo', { n: 1 });
  const key = await firstTimes(keys.others.slice(0, SAMPLES), (text) =>
    call(text, 'bench_echo', { n: 1 }),
  );
  const numbers = Array.from({ length: SAMPLES }, (_, n) => n);
  const tool = await firstTimes(numbers, (n) => call(owner, `api_0_get_${n}`, { id: '1' }));
  const list = await firstTimes(numbers, () => rpc(owner, 'tools/list'));
  const search = await firstTimes(numbers, (n) =>
    expectStatus(`${url}/api/v1/tools?q=thing%20${n}`, owner),
  );
  const admin = await signIn({ url });
  return {
    'first call of a key': key,
    'first call of a tool': tool,
    'tools/list': list,
    search,
    revocation: await measureRevocation(admin, rpc),
    'reload of presets': await measureReload(subject, pid, rpc),
  };
}

async function expectStatus(url: string, key: string): Promise<void> {
  const response = await fetch(url, { headers: { 'x-api-key': key } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
}

type Rpc = ReturnType<typeof createClient>['rpc'];

async function measureRevocation(admin: AdminClient, rpc: Rpc): Promise<number> {
  const path = `/tenants/${tenantName(0)}/keys`;
  const created = await expectOk(admin.ask(`POST ${path}`, { name: 'Revoked' }));
  await rpc(created.key, 'tools/list');
  const { id } = created;
  return timed(async () => {
    await admin.ask(`DELETE ${path}/${id}`);
    while ((await rpc(created.key, 'ping')).status !== 401) await sleep(1);
  });
}

/** From the signal until a changed title is served. */
async function measureReload({ place }: Subject, pid: number, rpc: Rpc): Promise<number> {
  const file = join(place.dataDir, 'presets/bench/echo.yaml');
  const marker = `Returns ${Date.now()}.`;
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(/description: Returns.*/, `description: ${marker}`),
  );
  return timed(async () => {
    process.kill(pid, 'SIGHUP');
    while (!(await rpc(KEY, 'tools/list')).text.includes(marker)) await sleep(1);
  });
}

const MIGRATION = [
  'alter table audit_records add column growth text',
  'create index audit_growth on audit_records (tenant_id, duration_ms)',
];
const UNDO = ['drop index audit_growth', 'alter table audit_records drop column growth'];

/** A column and an index for the records, as a release may add them. Leaves the database as it was. */
async function measureMigration(subject: Subject): Promise<number> {
  const place = databasePlace(subject);
  let took = 0;
  const run = async (execute: (statement: string) => unknown): Promise<void> => {
    took = await timed(async () => {
      for (const statement of MIGRATION) await execute(statement);
    });
    for (const statement of UNDO) await execute(statement);
  };
  if (place.databaseUrl === undefined) {
    await withFile(place.dataDir, (file) => run((statement) => file.exec(statement)));
    return took;
  }
  const database = openDatabase(place);
  await run((statement) => sql.raw(statement).execute(database.db));
  await database.close();
  return took;
}

/** CPU of hits at the large gateway and at the small one, in interleaved rounds. */
async function measureHits(running: Readonly<Record<Name, Running>>) {
  const names: readonly Name[] = ['small', 'large'];
  const targetOf = (name: Name): Target => ({
    ...running[name],
    name,
    kind: 'hit',
    marker: MARKER,
  });
  const figures: Record<Name, number[]> = { small: [], large: [] };
  for (const name of names) await load(targetOf(name), KEY, 6);
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const name of round % 2 ? names : names.toReversed()) {
      figures[name].push((await load(targetOf(name), KEY, 2)).cpuPerRequest);
    }
  }
  return { micros: quantile(figures.large, 0.5), ...ratioOf(figures.large, figures.small) };
}

async function measureStep(small: Subject, large: Subject, keys: UnseenKeys) {
  const migration = await measureMigration(large);
  const running = { large: await measureStart(large), small: await start(small) };
  await sleep(REST_MS);
  const restMib = residentMib(running.large.pid);
  const requests = await measureRequests(running.large, keys, large);
  const hit = await measureHits(running);
  for (const { pid } of Object.values(running)) await stopServer(pid);
  const figures: Figures = {
    start: running.large.startMs,
    'memory at rest, MiB': restMib,
    'CPU of a hit, us': hit.micros,
    'times a small one': hit.ratio,
    'at least': hit.low,
    'at most': hit.high,
    ...requests,
    'a column and an index': migration,
  };
  return figures;
}

async function measure(small: Subject, large: Subject): Promise<void> {
  await fill(small, NOTHING, SIZES[0] ?? NOTHING);
  const steps: Figures[] = [];
  let from = NOTHING;
  let owner: string | undefined;
  for (const to of SIZES) {
    const others = await fill(large, from, to);
    owner ??= others.pop() ?? '';
    from = to;
    steps.push(await measureStep(small, large, { owner, others }));
    process.stdout.write(`  ${describe(to)}: ${Math.round(steps.at(-1)?.['start'] ?? 0)} ms\n`);
  }
  print(steps);
  if (!options['no-bars']) check(steps);
}

const describe = ({ tenants, keys, apis, records }: Size): string =>
  `${tenants} tenants, ${keys} keys, ${apis * TOOLS_OF_API} tools, ${records} records`;

function print(steps: readonly Figures[]): void {
  const line = (title: string, cells: readonly (string | number)[]): void =>
    console.log(`${title.padEnd(24)}${cells.map((cell) => String(cell).padStart(12)).join('')}`);
  line(
    'tenants',
    SIZES.map(({ tenants }) => tenants),
  );
  line(
    'keys',
    SIZES.map(({ keys }) => keys),
  );
  line(
    'registered tools',
    SIZES.map(({ apis }) => apis * TOOLS_OF_API),
  );
  line(
    'records',
    SIZES.map(({ records }) => records),
  );
  for (const name of Object.keys(steps[0] ?? {})) {
    line(
      name,
      steps.map((figures) => (figures[name] ?? 0).toFixed(2)),
    );
  }
}

function check(steps: readonly Figures[]): void {
  const [first = {}] = steps;
  const last = steps.at(-1) ?? {};
  const of = (figures: Figures, name: string): number => figures[name] ?? Number.NaN;
  const missed = [
    // Within its interval, the ratio may be what it must be.
    of(last, 'at least') > BARS.hitRatio && 'a hit',
    of(last, 'start') > BARS.startRatio * of(first, 'start') && 'the start',
    of(last, 'start') > BARS.startMs && 'the time of a start',
    of(last, 'memory at rest, MiB') - of(first, 'memory at rest, MiB') > BARS.restMib && 'memory',
  ].filter((name) => name !== false);
  if (missed.length === 0) return;
  console.log(`Beyond the bars: ${missed.join(', ')}.`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  requirePrograms('nginx', 'wrk', 'taskset');
  for (const server of databaseServers()) {
    console.log(`\n${server ? 'PostgreSQL' : 'Embedded'}`);
    await withPlace(server, (small) =>
      withPlace(server, async (large) => {
        mkdirSync(join(small.dataDir, 'data'), { recursive: true });
        mkdirSync(join(large.dataDir, 'data'), { recursive: true });
        try {
          await startUpstream(small.dataDir);
          await measure({ name: 'small', place: small }, { name: 'large', place: large });
        } finally {
          await stopServers();
        }
      }),
    );
  }
}

await main();
