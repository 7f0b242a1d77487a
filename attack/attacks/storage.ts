import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRecordsHash, hashSeal } from '../../src/audit/seals/seal.ts';
import type { AuditRecordsTable } from '../../src/platform/database/tables.ts';
import {
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from '../../test/support/gateway-process.ts';
import { ownPostgres, ownRedis } from '../../test/support/own-servers.ts';
import { type StorageAttack, verdict, waitUntil } from '../attack.ts';

const DAYS_AHEAD = 100;
const CALL = { base: 'USD', quotes: 'KRW' };
/** By how much a call may take longer than before. */
const MAX_EXTRA_MS = 20;

async function inDirectory<T>(use: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-attack-'));
  try {
    return await use(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function withGateway<T>(
  env: Readonly<Record<string, string>>,
  use: (gateway: RunningGateway) => Promise<T>,
): Promise<T> {
  const gateway = await startGatewayProcess({ LOG_LEVEL: 'warn', ...env });
  try {
    return await use(gateway);
  } finally {
    await gateway.stop();
  }
}

/** Also of those that wait for PostgreSQL. */
const countRecords = (dataDir: string): number => {
  const file = new DatabaseSync(join(dataDir, 'audit.db'), { readOnly: true, timeout: 5000 });
  const sql =
    'SELECT (SELECT count(*) FROM audit_records) + (SELECT coalesce(sum(waiting), 0) FROM audit_outbox) AS n';
  const count = Number(file.prepare(sql).get()?.['n']);
  file.close();
  return count;
};

const callTimes = async (gateway: RunningGateway, times: number): Promise<void> => {
  for (let n = 0; n < times; n++) await gateway.call('frankfurter_rates', CALL);
};

/** How long a call takes, in the best of three series: the machine may pause during the others. */
async function callMs(gateway: RunningGateway): Promise<number> {
  const series: number[] = [];
  while (series.length < 3) {
    const startedMs = performance.now();
    await callTimes(gateway, 20);
    series.push((performance.now() - startedMs) / 20);
  }
  return Math.min(...series);
}

/** A flag that shifts the wall clock of a process, like a machine with a wrong clock. */
const shiftedClock = (days: number): string => {
  const script = `const now=Date.now;Date.now=()=>now()+${days * 86_400_000};`;
  return `--import=data:text/javascript,${encodeURIComponent(script)}`;
};

export const storageAttacks: readonly StorageAttack[] = [
  {
    name: `a start with the clock ${DAYS_AHEAD} days ahead`,
    bound: 'no audit record is deleted',
    run: () =>
      inDirectory(async (dataDir) => {
        await withGateway({ DATA_DIR: dataDir }, (gateway) => callTimes(gateway, 50));
        const before = countRecords(dataDir);
        await withGateway({ DATA_DIR: dataDir, NODE_OPTIONS: shiftedClock(DAYS_AHEAD) }, async () =>
          sleep(2000),
        );
        const after = countRecords(dataDir);
        return verdict(before === 50 && after === before, `${before} before, ${after} after`);
      }),
  },
  {
    name: 'one record is changed and another deleted in the database itself',
    bound: '`audit verify` names the seal',
    run: () =>
      inDirectory(async (dataDir) => {
        const env = { DATA_DIR: dataDir };
        await withGateway(env, (gateway) => callTimes(gateway, 50));
        const clean = await runGatewayCommand(['audit', 'verify'], env);
        const file = new DatabaseSync(join(dataDir, 'audit.db'));
        const ids = file.prepare('SELECT audit_id FROM audit_records ORDER BY audit_id').all();
        const [changed, deleted] = [ids[10]?.['audit_id'], ids[20]?.['audit_id']].map(String);
        file
          .prepare("UPDATE audit_records SET tool = 'other' WHERE audit_id = ?")
          .run(changed ?? '');
        file.prepare('DELETE FROM audit_records WHERE audit_id = ?').run(deleted ?? '');
        file.close();
        const tampered = await runGatewayCommand(['audit', 'verify'], env);
        const text = tampered.stdout + tampered.stderr;
        const held = clean.code === 0 && tampered.code === 1 && /records were deleted/.test(text);
        return verdict(held, `exit ${clean.code} clean, ${tampered.code} tampered`);
      }),
  },
  {
    name: 'records are deleted, and the seals computed again',
    bound: '`audit verify --anchor` reports it, also after the gateway has continued',
    run: () =>
      inDirectory(async (dataDir) => {
        const env = { DATA_DIR: dataDir, LOG_LEVEL: 'info' };
        const anchors: string[] = [];
        /** Calls tools, stops, and verifies the log with every anchor so far. */
        const callAndVerify = async () => {
          await withGateway(env, async (gateway) => {
            await callTimes(gateway, 10);
            await gateway.stop();
            for (const [, anchor = ''] of gateway.stderr().matchAll(/"anchor":"([^"]+)"/g)) {
              anchors.push(anchor);
            }
          });
          return runGatewayCommand(['audit', 'verify', '--anchor', anchors.join()], env);
        };
        const clean = await callAndVerify();
        sealAgain(dataDir);
        const forged = await runGatewayCommand(
          ['audit', 'verify', '--anchor', anchors.join()],
          env,
        );
        const continued = await callAndVerify();
        const codes = [clean.code, forged.code, continued.code];
        return verdict(codes.join() === '0,1,1', `exit ${codes.join(', ')}`);
      }),
  },
  {
    name: 'a poisoned code cache in the temporary directory',
    bound: 'it is not used',
    run: () =>
      inDirectory(async (dataDir) => {
        const shared = join(dataDir, 'tmp');
        mkdirSync(join(shared, 'node-compile-cache'), { recursive: true, mode: 0o777 });
        writeFileSync(join(shared, 'node-compile-cache/planted'), 'x');
        const env = { DATA_DIR: join(dataDir, 'data'), TMPDIR: shared };
        await withGateway(env, async () => undefined);
        const used = readdirSync(join(shared, 'node-compile-cache'));
        return verdict(
          used.length === 1 && existsSync(env.DATA_DIR),
          `${used.length - 1} files written there`,
        );
      }),
  },
  {
    name: 'a Redis that serves reads and blocks writes',
    bound: `after the first calls, a call takes less than ${MAX_EXTRA_MS} ms longer than before`,
    run: () =>
      inDirectory(async (dataDir) => {
        const redis = await ownRedis();
        await redis.start();
        try {
          const env = { DATA_DIR: dataDir, REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '100000' };
          return await withGateway(env, async (gateway) => {
            await callTimes(gateway, 5);
            const beforeMs = await callMs(gateway);
            await pauseWrites(redis.url);
            await callTimes(gateway, 10);
            const afterMs = await callMs(gateway);
            return verdict(
              afterMs - beforeMs < MAX_EXTRA_MS,
              `${beforeMs.toFixed(1)} ms per call before, ${afterMs.toFixed(1)} ms after`,
            );
          });
        } finally {
          await redis.remove();
        }
      }),
  },
  {
    name: 'an outbox with records that PostgreSQL always refuses',
    bound: 'later records arrive, the dead letters are stored, readiness recovers',
    run: () =>
      inDirectory(async (dataDir) => {
        const postgres = await ownPostgres();
        await postgres.start();
        try {
          const env = { DATA_DIR: dataDir, DATABASE_URL: postgres.url };
          await withGateway(env, (gateway) => callTimes(gateway, 3));
          plantPoison(dataDir);
          return await withGateway(env, async (gateway) => {
            await callTimes(gateway, 20);
            const leftBehind = await untilEmpty(dataDir);
            // The result of a check is valid for a second.
            let readiness = 0;
            await waitUntil(async () => {
              readiness = (await fetch(`${gateway.url}/health/ready`)).status;
              return readiness === 200;
            }, 15_000);
            return verdict(
              leftBehind === 0 && readiness === 200,
              `${leftBehind} left, readiness ${readiness}`,
            );
          });
        } finally {
          await postgres.remove();
        }
      }),
  },
];

/** Deletes half of the records, and seals the rest as the gateway would. */
function sealAgain(dataDir: string): void {
  const file = new DatabaseSync(join(dataDir, 'audit.db'));
  file.exec('DELETE FROM audit_records WHERE n % 2 = 1; DELETE FROM audit_seals');
  const rows = file.prepare('SELECT * FROM audit_records ORDER BY n').all();
  const records = createRecordsHash();
  records.add(rows as unknown as AuditRecordsTable[]);
  const { count, recordsHash } = records.result();
  const seal = {
    seq: 1,
    up_to: Number(rows.at(-1)?.['n']),
    count,
    sealed_at_ms: Date.now(),
    records_hash: recordsHash,
    prev_hash: '',
  };
  const columns = { ...seal, hash: hashSeal(seal) };
  file
    .prepare(
      `INSERT INTO audit_seals (${Object.keys(columns).join()})
       VALUES (${Object.keys(columns).map(() => '?')})`,
    )
    .run(...Object.values(columns));
  file.close();
}

async function pauseWrites(url: string): Promise<void> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url);
  await client.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  client.disconnect();
}

/** Rows that no gateway writes: some with a string that PostgreSQL cannot store, and hundreds of very large ones. */
function plantPoison(dataDir: string): void {
  const file = new DatabaseSync(join(dataDir, 'audit.db'));
  const columns = file
    .prepare('PRAGMA table_info(audit_records)')
    .all()
    .map((column) => String(column['name']));
  const insert = file.prepare(
    `INSERT INTO audit_records (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
  );
  let lastN = 0;
  const plantedValue = (column: string, id: string, text: string): string | number => {
    if (column === 'audit_id') return id;
    if (column === 'n') return ++lastN;
    if (column === 'arguments') return text;
    return /(_ms|_status|_bytes)$/.test(column) ? 1 : column === 'outcome' ? 'ok' : 'x';
  };
  const plant = (id: string, text: string) =>
    insert.run(...columns.map((column) => plantedValue(column, id, text)));
  for (let n = 0; n < 3; n++) plant(`aud_POISON${n}`, `{"a":"\u0000${n}"}`);
  for (let n = 0; n < 200; n++) plant(`aud_LARGE${n}`, `{"a":"${'y'.repeat(1_200_000)}"}`);
  file.close();
}

async function untilEmpty(dataDir: string): Promise<number> {
  for (let waited = 0; waited < 180_000; waited += 200) {
    if (countRecords(dataDir) === 0) return 0;
    await sleep(200);
  }
  return countRecords(dataDir);
}
