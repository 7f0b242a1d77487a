import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { FEW_PRESETS } from './few-presets.ts';
import {
  type Environment,
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from './gateway-process.ts';
import { startLoad } from './load.ts';
import { until } from './until.ts';

export interface KillRunOptions {
  /** Must be empty. */
  readonly dataDir: string;
  /** Unset means the embedded database. The schema must be empty. */
  readonly databaseUrl?: string | undefined;
  readonly callers: number;
  /** How long calls are made before the process is killed. */
  readonly loadMs: number;
}

export interface KillRunResult {
  /** The number of calls answered before the kill. */
  readonly answered: number;
  /** Audit ids of answered calls that do not have exactly one record. */
  readonly lost: readonly string[];
  /** The results of `PRAGMA integrity_check` other than "ok", for each file. */
  readonly damage: readonly string[];
  /** What `audit verify` found; empty if nothing. */
  readonly tampering: string;
}

/** Kills a gateway with SIGKILL under load, restarts it, and checks that every answered call has a record. */
export async function killRun(options: KillRunOptions): Promise<KillRunResult> {
  const env = {
    DATA_DIR: options.dataDir,
    PRESETS_DIR: FEW_PRESETS,
    LOG_LEVEL: 'warn',
    BOOTSTRAP_API_KEY: newApiKeyText(),
    ...(options.databaseUrl ? { DATABASE_URL: options.databaseUrl } : {}),
  };
  const killed = await startGatewayProcess(env);
  const load = startLoad(killed, options.callers);
  await until(() => load.answered.length > 0);
  await sleep(options.loadMs);
  killed.kill('SIGKILL');
  await Promise.all([killed.ended, load.ended]);

  const gateway = await startGatewayProcess(env);
  const counts = await countRecords(gateway, env);
  await gateway.stop();
  const verified = await runGatewayCommand(['audit', 'verify'], env);
  return {
    answered: load.answered.length,
    lost: load.answered.filter((auditId) => counts.get(auditId) !== 1),
    damage: checkFiles(options.dataDir),
    tampering: verified.code === 0 ? '' : verified.stdout + verified.stderr,
  };
}

/** The number of records for each audit id. */
async function countRecords(
  gateway: RunningGateway,
  env: Environment,
): Promise<ReadonlyMap<string, number>> {
  await until(() => isOutboxEmpty(gateway));
  const { code, stdout, stderr } = await runGatewayCommand(['audit', 'export'], env);
  if (code !== 0) throw new Error(`audit export failed: ${stderr}`);
  const counts = new Map<string, number>();
  for (const line of stdout.split('\n').filter(Boolean)) {
    const { auditId } = JSON.parse(line) as { auditId: string };
    counts.set(auditId, (counts.get(auditId) ?? 0) + 1);
  }
  return counts;
}

/** Whether PostgreSQL has every record; true immediately without PostgreSQL. */
async function isOutboxEmpty({ url, key }: RunningGateway): Promise<boolean> {
  const response = await fetch(`${url}/health/detailed`, { headers: { 'x-api-key': key } });
  const { audit } = (await response.json()) as { audit: { outbox: number } };
  return audit.outbox === 0;
}

function checkFiles(dataDir: string): string[] {
  return ['audit.db', 'gateway.db'].flatMap((name) => {
    const file = new DatabaseSync(join(dataDir, name));
    const verdict = String(file.prepare('PRAGMA integrity_check').get()?.['integrity_check']);
    file.close();
    return verdict === 'ok' ? [] : [`${name}: ${verdict}`];
  });
}
