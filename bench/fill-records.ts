import type { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { ulid } from 'ulid';
import { openAuditFile } from '../src/audit/record/audit-file.ts';
import type { AuditRecord } from '../src/audit/record/audit-record.ts';
import { RECORD_COLUMNS, toRow } from '../src/audit/record/audit-row.ts';
import type { Database } from '../src/platform/database/database.ts';

/** Whose calls are recorded, and of what. Of each list, few make most calls. */
export interface RecordedCalls {
  readonly total: number;
  /** The newest record is older. */
  readonly untilMs: number;
  readonly keys: readonly { readonly tenantId: string; readonly apiKeyId: string }[];
  readonly tools: readonly { readonly name: string; readonly id: string }[];
  readonly upstreams: number;
}

const PERIOD_MS = 30 * 86_400_000;
const BATCH = 5000;

/** Makes the records of 30 days: the nth of all. 3 % are failures, and 60 % come from the cache. */
const createRecordMaker =
  ({ total, untilMs, keys, tools, upstreams }: RecordedCalls) =>
  (n: number): AuditRecord => {
    const ms = untilMs - PERIOD_MS + Math.floor((n / total) * PERIOD_MS);
    const [toolNumber, keyNumber] = [pick(tools.length), pick(keys.length)];
    const tool = tools[toolNumber];
    const key = keys[keyNumber];
    if (!tool || !key) throw new Error('Name at least one tool and one key.');
    const isHit = Math.random() < 0.6;
    const hasFailed = Math.random() < 0.03;
    return {
      ...key,
      auditId: `aud_${ulid(ms)}`,
      timestampMs: ms,
      requestId: 'req_a',
      dialect: 'plain',
      clientName: null,
      tool: tool.name,
      toolId: tool.id,
      arguments: { base_date: '20261121', nx: 60, ny: n % 200 },
      upstream: {
        method: 'GET',
        url: `https://api-${toolNumber % upstreams}.example.com/x`,
        status: 200,
      },
      cacheStatus: hasFailed ? null : isHit ? 'HIT' : 'MISS',
      publicData: null,
      outcome: hasFailed ? 'error' : 'ok',
      error: hasFailed ? { code: 'upstream_timeout', message: 'It failed.' } : null,
      durationMs: isHit ? Math.random() : 50 + 400 * Math.random() ** 3,
      upstreamMs: null,
      responseBytes: 2000,
      cause: null,
      asked: null,
      asOf: null,
      steppedBack: null,
      sample: false,
      partOf: null,
      clientIp: '127.0.0.1',
    };
  };

const pick = (count: number): number => Math.floor(Math.random() ** 2 * count);

/** Inserts the records into a migrated database. They are not in the statistics. */
export async function fillRecords(
  database: Database,
  dataDir: string,
  calls: RecordedCalls,
): Promise<void> {
  if (database.backend === 'embedded') await fillEmbedded(dataDir, calls);
  else await fillPostgres(database, calls);
}

function* batches(calls: RecordedCalls): Generator<ReturnType<typeof toRow>[]> {
  const make = createRecordMaker(calls);
  for (let n = 0; n < calls.total; n += BATCH) {
    const size = Math.min(BATCH, calls.total - n);
    yield Array.from({ length: size }, (_, i) => toRow(make(n + i)));
  }
}

const fillEmbedded = (dataDir: string, calls: RecordedCalls): Promise<void> =>
  withFile(dataDir, async (file) => {
    const columns = Object.keys(toRow(createRecordMaker(calls)(0)));
    const insert = file.prepare(
      `INSERT INTO audit_records (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    for (const rows of batches(calls)) {
      file.exec('BEGIN');
      for (const row of rows) insert.run(...Object.values(row));
      file.exec('COMMIT');
    }
  });

/** Opens the local file of a gateway that does not run. */
export async function withFile(
  dataDir: string,
  work: (file: DatabaseSync) => Promise<void> | void,
): Promise<void> {
  const file = await openAuditFile({ dataDir, fsync: false });
  await work(file.writer);
  await file.close();
}

async function fillPostgres({ db }: Database, calls: RecordedCalls): Promise<void> {
  const columns = sql.join(RECORD_COLUMNS.map((name) => sql.ref(name)));
  for (const rows of batches(calls)) {
    await sql`
      insert into audit_records (${columns})
      select ${columns} from json_populate_recordset(null::audit_records, ${JSON.stringify(rows)}::json)`.execute(
      db,
    );
  }
  // As the server itself does within a minute.
  await sql`vacuum (analyze) audit_records`.execute(db);
}
