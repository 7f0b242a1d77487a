import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { HeapProfiler, Runtime } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { newApiKeyText } from '../src/platform/kernel/ids.ts';
import { type Inspector, openInspector } from './inspector.ts';
import { type CallKind, kindsOf, load, type Target } from './load.ts';
import { requirePrograms, stopServers } from './processes.ts';
import { MARKER, startGateway, startUpstream, urlOf } from './servers.ts';

/**
 * Counts the bytes that V8 allocates for a call and compares them with the recorded figures. Unlike times, they are the
 * same on a busy machine. Fails if a kind of call allocates 2 % more, and names the functions that do.
 */
const { values: options } = parseArgs({
  options: {
    kinds: { type: 'string' },
    /** Another checkout, with its dependencies installed, to measure in place of this one. */
    checkout: { type: 'string', default: resolve(import.meta.dirname, '..') },
    /** Writes the figures. A commit that raises one says why. */
    record: { type: 'boolean', default: false },
  },
});

/** What a call may allocate more than recorded. */
const TOLERANCE = 0.02;
/** How often a kind of call that allocates more is measured again, each time in a new process. */
const MAX_REPEATS = 3;
/** V8 optimises the code of a call during the first 50,000 calls or so. */
const WARM_UP_CALLS = 60_000;
const MEASURED_CALLS = 20_000;
const ROUNDS = 3;
const SAMPLING = {
  samplingInterval: 8192,
  stackDepth: 1,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
};
/** Functions that allocate less are not recorded, in bytes for each call. */
const SMALL_BYTES = 64;

const PORT = 18_083;
const INSPECTOR_PORT = 18_086;
const FIGURES = join(import.meta.dirname, 'allocations.json');

interface Allocations {
  /** Allocated for each call. */
  readonly bytes: number;
  /** The part of each function, by its name and file. */
  readonly functions: Readonly<Record<string, number>>;
}

interface Figures {
  /** Another version of Node.js allocates other objects. */
  readonly node: string;
  readonly kinds: Readonly<Record<string, Allocations>>;
}

async function main(): Promise<void> {
  requirePrograms('nginx', 'wrk', 'taskset');
  const recorded: Figures = JSON.parse(readFileSync(FIGURES, 'utf8'));
  if (recorded.node !== process.version && !options.record) {
    throw new Error(
      `The figures are those of Node.js ${recorded.node}, and this is ${process.version}. Start with "npm run bench:allocations", or record new figures with "-- --record".`,
    );
  }
  const measured = await measureAll(kindsOf(options.kinds), recorded);
  // V8 optimises the same code in different ways: what one process allocates more, another may not.
  for (let again = 0; again < MAX_REPEATS && !options.record; again++) {
    const missed = kindsOf(Object.keys(measured).join()).filter(
      (kind) => changeOf(measured[kind]?.bytes ?? 0, recorded.kinds[kind]) > TOLERANCE,
    );
    if (missed.length === 0) break;
    for (const [kind, repeated] of Object.entries(await measureAll(missed, recorded))) {
      if (repeated.bytes < (measured[kind]?.bytes ?? 0)) measured[kind] = repeated;
    }
  }
  const isWithin = Object.entries(measured).map(([kind, now]) =>
    printComparison(kind, now, recorded.kinds[kind]),
  );
  if (options.record) write({ node: process.version, kinds: { ...recorded.kinds, ...measured } });
  else if (isWithin.includes(false)) process.exitCode = 1;
}

const write = (figures: Figures): void =>
  writeFileSync(FIGURES, `${JSON.stringify(figures, null, 2)}\n`);

async function measureAll(
  kinds: readonly CallKind[],
  recorded: Figures,
): Promise<Record<string, Allocations>> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const key = newApiKeyText();
  try {
    await startUpstream(directory);
    // Last good responses are written behind, in batches: no part of a call, and their number depends on the load.
    const env = {
      LAST_GOOD_MAX_BYTES: '0',
      NODE_OPTIONS: `--inspect=127.0.0.1:${INSPECTOR_PORT}`,
    };
    const { checkout } = options;
    const pid = await startGateway({ directory, key, port: PORT, checkout, env });
    const inspector = await openInspector(INSPECTOR_PORT);
    const measured: Record<string, Allocations> = {};
    for (const kind of kinds) {
      const url = `${urlOf(PORT)}/mcp`;
      const target = { name: `gateway ${kind}`, kind, url, pid, marker: MARKER };
      const makeCalls = (calls: number) => loadCalls(target, key, calls);
      const bytes = await countBytes(inspector, makeCalls);
      const isExpected = Math.abs(changeOf(bytes, recorded.kinds[kind])) <= TOLERANCE;
      const functions =
        isExpected && !options.record ? {} : await profileFunctions(inspector, makeCalls);
      measured[kind] = { bytes, functions };
    }
    inspector.close();
    return measured;
  } finally {
    await stopServers();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns how many calls were made: at least so many. */
async function loadCalls(target: Target, key: string, calls: number): Promise<number> {
  let made = 0;
  while (made < calls) made += (await load(target, key, 1)).requests;
  return made;
}

type MakeCalls = (calls: number) => Promise<number>;

/** What one call allocates. The least of several rounds, because timers of the gateway allocate too. */
async function countBytes(inspector: Inspector, makeCalls: MakeCalls): Promise<number> {
  await makeCalls(WARM_UP_CALLS);
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await allocatedBytes(inspector);
    const calls = await makeCalls(MEASURED_CALLS);
    rounds.push(((await allocatedBytes(inspector)) - before) / calls);
  }
  return Math.round(Math.min(...rounds));
}

async function profileFunctions(
  inspector: Inspector,
  makeCalls: MakeCalls,
): Promise<Record<string, number>> {
  await inspector.post('HeapProfiler.startSampling', SAMPLING);
  const calls = await makeCalls(MEASURED_CALLS);
  const { profile } = (await inspector.post(
    'HeapProfiler.stopSampling',
  )) as HeapProfiler.StopSamplingReturnType;
  return byFunction(profile.head, calls);
}

/** What V8 has allocated on the main thread since the start of the process. */
async function allocatedBytes(inspector: Inspector): Promise<number> {
  const expression =
    "process.getBuiltinModule('node:v8').getHeapStatistics().total_allocated_bytes";
  const { result } = (await inspector.post('Runtime.evaluate', {
    expression,
  })) as Runtime.EvaluateReturnType;
  return Number(result.value);
}

function byFunction(
  head: HeapProfiler.SamplingHeapProfileNode,
  calls: number,
): Record<string, number> {
  const bytes = new Map<string, number>();
  const add = ({ callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode): void => {
    const name = `${callFrame.functionName || '(anonymous)'} ${fileOf(callFrame.url)}`.trim();
    bytes.set(name, (bytes.get(name) ?? 0) + selfSize / calls);
    for (const child of children) add(child);
  };
  add(head);
  return Object.fromEntries(
    [...bytes]
      .map(([name, each]): [string, number] => [name, Math.round(each)])
      .filter(([, each]) => each >= SMALL_BYTES)
      .toSorted(([, a], [, b]) => b - a),
  );
}

/** Without the folder of the checkout, and of a package only what is below `node_modules`. */
const fileOf = (url: string): string =>
  (url.startsWith('file:') ? fileURLToPath(url) : url)
    .replace(`${resolve(options.checkout)}/`, '')
    .replace(/^.*node_modules\//, '');

/** As a fraction; not a number without a recorded figure. */
const changeOf = (bytes: number, recorded: Allocations | undefined): number =>
  bytes / (recorded?.bytes ?? Number.NaN) - 1;

/** Returns false if more is allocated than recorded. */
function printComparison(
  kind: string,
  now: Allocations,
  recorded: Allocations | undefined,
): boolean {
  if (recorded === undefined) {
    console.log(`${kind}: ${now.bytes} bytes for each call; no figure is recorded`);
    return false;
  }
  const change = changeOf(now.bytes, recorded);
  const isWithin = change <= TOLERANCE;
  const percent = `${change < 0 ? '' : '+'}${(change * 100).toFixed(1)} %`;
  console.log(
    `${isWithin ? 'met   ' : 'MISSED'} ${kind}: ${now.bytes} bytes for each call, recorded ${recorded.bytes}, ${percent}`,
  );
  if (Math.abs(change) > TOLERANCE) printFunctions(now.functions, recorded.functions);
  if (change < -TOLERANCE)
    console.log(
      'Record the new figures with "-- --record": until then, later changes may waste what this one saves.',
    );
  return isWithin;
}

/** The functions whose part has changed most. */
function printFunctions(now: Allocations['functions'], recorded: Allocations['functions']): void {
  const names = new Set([...Object.keys(now), ...Object.keys(recorded)]);
  const rows = [...names]
    .map((name) => ({ function: name, now: now[name] ?? 0, recorded: recorded[name] ?? 0 }))
    .map((row) => ({ ...row, change: row.now - row.recorded }))
    .filter(({ change }) => Math.abs(change) >= SMALL_BYTES / 2)
    .toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change));
  console.table(rows.slice(0, 30));
}

await main();
