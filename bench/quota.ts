import { parseArgs } from 'node:util';
import { FEW_PRESETS } from '../test/support/few-presets.ts';
import { startGatewayProcess } from '../test/support/gateway-process.ts';
import { startPortal } from '../test/support/portal.ts';
import {
  createTenantKeys,
  portalSettings,
  type QuotaResult,
  type QuotaRun,
  useUpDay,
} from '../test/support/quota-run.ts';
import { startReplicasIn } from '../test/support/replicas.ts';
import { makeOwnDir } from '../test/support/temporary-dir.ts';
import { type BenchPlace, withPlace } from './each-database.ts';
import { quantile } from './quantile.ts';

/**
 * How a day of a provider's quota is used up and shared: a portal that accepts 1,000 requests a day, and 20 tenants, of which
 * one is greedy. Several processes with the servers that TEST_DATABASE_URL and TEST_REDIS_URL name
 * (`node scripts/with-servers.ts npm run bench:quota`), or one with the embedded database. Fails if a bar is missed.
 */
const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    processes: { type: 'string', default: '3' },
    /** One process is killed when half of the day is used. */
    kill: { type: 'boolean', default: false },
    embedded: { type: 'boolean', default: false },
    /** Prints the bars, but does not fail. */
    'no-bars': { type: 'boolean', default: false },
  },
});
const [runs, processes] = [Number(options.runs), Number(options.processes)];
if (!(runs >= 1 && processes >= 2))
  throw new Error('At least one run and two processes are needed.');
if (options.kill && options.embedded) throw new Error('The only process cannot be killed.');

const CALLS_PER_DAY = 1000;
/** Several processes may exceed a quota by 1 %. */
const MOST = options.embedded ? CALLS_PER_DAY : 1.01 * CALLS_PER_DAY;
const TENANTS = 20;
const LATENCY_MS = 20;
const SHARE = Math.floor(CALLS_PER_DAY / TENANTS);
const MIN_OF_SHARE = options.kill ? 0.9 : 0.95;
const MIN_USED = options.kill ? 850 : 950;

type Rest = Omit<QuotaRun, 'gateways' | 'keys'>;

/** Uses up one day, with processes and a database of their own. */
async function oneRun(): Promise<QuotaResult> {
  const portal = await startPortal({
    callsPerDay: CALLS_PER_DAY,
    latencyMs: LATENCY_MS,
    countedParameter: 'tenant',
  });
  const presets = await makeOwnDir();
  const env = {
    ...(await portalSettings(presets.dir, portal, CALLS_PER_DAY)),
    PRESETS_DIR: FEW_PRESETS,
    LOG_LEVEL: 'error',
  };
  const rest: Rest = { portal, ...(options.kill ? { killAfter: CALLS_PER_DAY / 2 } : {}) };
  let result: QuotaResult | undefined;
  try {
    await withPlace(serverUrl(), async (place) => {
      const keys = await createTenantKeys(place, TENANTS);
      result = await withGateways(place, env, (gateways) => useUpDay({ ...rest, gateways, keys }));
    });
  } finally {
    await portal.close();
    await presets.remove();
  }
  if (!result) throw new Error('The run has no result.');
  return result;
}

function serverUrl(): string | undefined {
  if (options.embedded) return undefined;
  const url = process.env['TEST_DATABASE_URL'];
  if (!url) throw new Error('Run: node scripts/with-servers.ts npm run bench:quota');
  return url;
}

async function withGateways(
  { dataDir, databaseUrl }: BenchPlace,
  env: Readonly<Record<string, string>>,
  use: (gateways: QuotaRun['gateways']) => Promise<QuotaResult>,
): Promise<QuotaResult> {
  if (databaseUrl) {
    const replicas = await startReplicasIn(databaseUrl.reveal(), env, processes);
    return use(replicas.gateways).finally(() => replicas.close());
  }
  const gateway = await startGatewayProcess({ ...env, DATA_DIR: dataDir }, []);
  return use([gateway]).finally(() => gateway.stop());
}

const row = ({ sent, refused, greedy, others }: QuotaResult) => ({
  sent,
  refused,
  used: sent - refused,
  greedy,
  'others min': others[0],
  'others median': quantile(others, 0.5),
  'others max': others.at(-1),
  share: SHARE,
});

/** Prints the bars. Returns whether every run meets all of them. */
function report(results: readonly QuotaResult[]): boolean {
  const bar = (goal: string, values: readonly number[], isMet: (value: number) => boolean) => {
    const isMetByAll = values.every(isMet);
    const range = `${Math.min(...values)} to ${Math.max(...values)}`;
    console.log(`${isMetByAll ? 'met   ' : 'MISSED'} ${goal}: ${range}`);
    return isMetByAll;
  };
  const least = SHARE * MIN_OF_SHARE;
  return [
    bar(
      `at most ${MOST} requests are sent`,
      results.map(({ sent }) => sent),
      (sent) => sent <= MOST,
    ),
    bar(
      `at least ${MIN_USED} are used`,
      results.map(({ sent, refused }) => sent - refused),
      (used) => used >= MIN_USED,
    ),
    bar(
      `every tenant that is not greedy has at least ${least}`,
      results.map(({ others: [fewest = 0] }) => fewest),
      (fewest) => fewest >= least,
    ),
  ].every(Boolean);
}

const results: QuotaResult[] = [];
for (let run = 0; run < runs; run++) results.push(await oneRun());
console.table(results.map(row));
if (!report(results) && !options['no-bars']) process.exitCode = 1;
