import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { listKeys, OPERATOR } from '../../access/provider-keys/provider-key-store.ts';
import { keyNamesOf } from '../../calls/provider-keys/key-users.ts';
import { toolReadiness } from '../../calls/provider-keys/tool-readiness.ts';
import {
  misspeltSettings,
  readSettings,
  type Settings,
  secretsFromEnvironment,
} from '../../platform/config/settings.ts';
import { publishedAddress } from '../../platform/database/data-dir.ts';
import { type Database, hasDatabaseFile, openDatabase } from '../../platform/database/database.ts';
import { readStorage } from '../../platform/database/storage-files.ts';
import { messageOf } from '../../platform/kernel/error.ts';
import { connectRedis } from '../../platform/redis/redis-connection.ts';
import { BACKUP_TRACE } from '../backup/backup-manifest.ts';
import { count } from '../shared/output.ts';
import { loadPresetCatalog } from '../shared/tool-source.ts';
import { checkSignIn } from './check-sign-in.ts';
import { Failure, type StepResult } from './step-result.ts';

/** What works, but should not stay as it is. */
class Warning extends Error {}

/** What the checks share. */
interface Installation {
  readonly settings: Settings;
  /** Undefined before the first start. */
  readonly database: Database | undefined;
  /** The address of the gateway that runs with this DATA_DIR. */
  readonly runningAt: string | undefined;
}

type Check = (installation: Installation) => Promise<string> | string;

const SLOW_CLOCK_MS = 2000;
const OLD_BACKUP_DAYS = 7;
const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;

/** Checks all that a gateway needs on this machine, one after another. Changes nothing. */
export async function* checkInstallation(): AsyncGenerator<StepResult> {
  let settings: Settings;
  try {
    settings = readSettings(process.env);
    const [misspelt] = misspeltSettings(process.env);
    yield misspelt
      ? warning('settings', `${misspelt[0]} is not a setting. Did you mean ${misspelt[1]}?`)
      : { step: 'settings', isOk: true, finding: 'all of them can be read' };
  } catch (error) {
    yield { step: 'settings', isOk: false, finding: messageOf(error) };
    return;
  }
  const { DATABASE_URL: databaseUrl, DATA_DIR: dataDir } = settings;
  const exists = databaseUrl !== undefined || hasDatabaseFile(dataDir);
  const database = exists ? openDatabase({ databaseUrl, dataDir }) : undefined;
  try {
    const runningAt = await runningAddress(dataDir);
    const installation = { settings, database, runningAt };
    for (const [step, check] of Object.entries(CHECKS)) yield await run(step, check, installation);
    if (runningAt && settings.BASE_URL?.startsWith('https:')) {
      for await (const found of checkSignIn(settings.BASE_URL)) {
        yield { ...found, step: `sign-in: ${found.step}` };
      }
    }
  } finally {
    await database?.close();
  }
}

const warning = (step: string, finding: string): StepResult => ({
  step,
  isOk: true,
  isWarning: true,
  finding,
});

async function run(step: string, check: Check, installation: Installation): Promise<StepResult> {
  try {
    return { step, isOk: true, finding: await check(installation) };
  } catch (error) {
    if (error instanceof Warning) return warning(step, error.message);
    return { step, isOk: false, finding: messageOf(error) };
  }
}

async function runningAddress(dataDir: string): Promise<string | undefined> {
  const url = publishedAddress(dataDir);
  const response = url && (await fetch(`${url}/health`).catch(() => undefined));
  return response ? url : undefined;
}

const CHECKS: Readonly<Record<string, Check>> = {
  database: async ({ settings, database }) => {
    if (!database) return 'embedded; the first start creates it';
    await database.ping();
    const state = await database.schemaState();
    if (state === 'newer') throw new Failure('A newer version has used it.', 'Run that version.');
    if (state !== 'current')
      throw new Warning('The next start will update its tables: back up first.');
    return settings.DATABASE_URL ? 'PostgreSQL responds' : `embedded in ${settings.DATA_DIR}`;
  },
  Redis: async ({ settings: { REDIS_URL } }) => {
    if (!REDIS_URL) return 'none; this is right for a single gateway';
    const silent = { info: () => undefined, warn: () => undefined };
    const redis = connectRedis(REDIS_URL, { logger: silent });
    try {
      await redis.ping();
      return 'responds and accepts writes';
    } finally {
      await redis.close();
    }
  },
  disk: ({ settings: { DATA_DIR, DISK_RESERVE_BYTES } }) => {
    const { freeBytes, files } = readStorage(DATA_DIR);
    const sizes = files.map(({ name, sizeBytes }) => `${name} ${mib(sizeBytes)}`).join(', ');
    if (freeBytes === null) return sizes || 'DATA_DIR does not exist yet';
    const free = `${mib(freeBytes)} free; ${sizes || 'no databases yet'}`;
    if (freeBytes < DISK_RESERVE_BYTES) {
      throw new Failure(`${free}.`, 'Calls are refused below DISK_RESERVE_BYTES: free some space.');
    }
    if (freeBytes > 4 * DISK_RESERVE_BYTES) return free;
    throw new Warning(
      `${free}. ${files.map(({ name, advice }) => `${name}: ${advice}`).join(' ')}`,
    );
  },
  clock: async ({ settings, database }) => {
    if (!settings.DATABASE_URL || !database) return new Date().toISOString();
    const sentMs = Date.now();
    const { rows } = await sql<{ now: Date }>`select now() as now`.execute(database.db);
    const differsMs = Math.abs((rows[0]?.now.getTime() ?? sentMs) - sentMs);
    if (differsMs < SLOW_CLOCK_MS) return 'that of PostgreSQL is the same';
    throw new Warning(
      `That of PostgreSQL differs by ${Math.round(differsMs / 1000)} s. Synchronise both with NTP: days of quotas and retention depend on them.`,
    );
  },
  ports: async ({ settings: { HOST, PORT }, runningAt }) => {
    if (runningAt) return `a gateway runs at ${runningAt}`;
    const server = createServer();
    await once(server.listen({ host: HOST, port: PORT }), 'listening').catch((error: unknown) => {
      const hint = 'Another program may use it, or HOST may not be an address of this machine.';
      throw new Failure(`${HOST}:${PORT} cannot be opened: ${messageOf(error)}.`, hint);
    });
    server.close();
    return `${PORT} is free`;
  },
  'provider keys': async ({ settings, database }) => {
    const catalog = await loadPresetCatalog(settings);
    const environment = secretsFromEnvironment(process.env);
    const stored = await storedKeys(database);
    const isSet = (name: string): boolean => environment(name) !== undefined || stored.has(name);
    const { tools, ready, missing } = toolReadiness(catalog, isSet);
    const found = `${keyNamesOf(catalog).filter(isSet).length} set; ${ready} of ${count(tools, 'tool')} ready`;
    const [first] = missing;
    if (!first) return found;
    throw new Warning(
      `${found}. ${first.name} would make ${count(first.tools, 'more tool')} ready.`,
    );
  },
  proxy: ({ settings: { BASE_URL, TRUST_PROXY } }) => {
    if (!BASE_URL?.startsWith('https:')) return 'none in BASE_URL';
    if (TRUST_PROXY) return 'TRUST_PROXY is set';
    throw new Warning(
      'BASE_URL has https, so a proxy is in front; without TRUST_PROXY all clients count as one address.',
    );
  },
  backups: ({ settings: { DATA_DIR, DATABASE_URL }, database }) => {
    if (!database) return 'nothing to back up yet';
    const trace = join(DATA_DIR, BACKUP_TRACE);
    const rest = DATABASE_URL ? ' PostgreSQL is not part of it: use pg_dump.' : '';
    if (!existsSync(trace)) throw new Warning(`None was made of this DATA_DIR.${rest}`);
    const days = Math.floor((Date.now() - statSync(trace).mtimeMs) / DAY_MS);
    if (days < OLD_BACKUP_DAYS) return `the last one is ${count(days, 'day')} old.${rest}`;
    throw new Warning(`The last one is ${count(days, 'day')} old.${rest}`);
  },
};

const mib = (bytes: number): string => `${Math.round(bytes / MIB)} MiB`;

/** The names of the provider keys that operators have stored; those of an older database are not read. */
async function storedKeys(database: Database | undefined): Promise<ReadonlySet<string>> {
  if (!database || (await database.schemaState()) !== 'current') return new Set();
  const keys = await listKeys(database.db, OPERATOR);
  return new Set(keys.flatMap(({ name, encrypted }) => (encrypted === null ? [] : name)));
}
