import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import {
  type AuditFilter,
  MAX_CLIENT_FILTER,
  MAX_TEXT_FILTER,
  OUTCOMES,
  UPSTREAM_CLASSES,
} from '../../audit/reading/audit-filter.ts';
import type { AuditStore } from '../../audit/reading/audit-store.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  encodeExport,
} from '../../audit/reading/encode-export.ts';
import {
  AUDIT_FILE_NAME,
  auditDirs,
  openExistingAuditFile,
} from '../../audit/record/audit-file.ts';
import type { StoredAuditRecord } from '../../audit/record/audit-record.ts';
import {
  approveSweep,
  countBefore,
  DAY_MS,
  endOfRecords,
  readDatabaseClock,
} from '../../audit/retention/audit-sweeps.ts';
import { deadLetterLines } from '../../audit/shipping/dead-letters.ts';
import { readSettings } from '../../platform/config/settings.ts';
import type { Database } from '../../platform/database/database.ts';
import { CACHE_STATUSES } from '../../platform/kernel/cache-status.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { commandLine } from '../../platform/kernel/command-line.ts';
import { isoTime } from '../../platform/kernel/iso-time.ts';
import { onlyHere } from '../operations/with-operations.ts';
import { parseCount } from '../shared/parse-count.ts';
import { parseTime } from '../shared/parse-time.ts';
import { requireTenant } from '../shared/require-tenant.ts';
import { formatTable } from '../shared/table.ts';
import { tellDatabase } from '../shared/with-database.ts';
import { writeLines } from '../shared/write-lines.ts';
import { auditShipCommand } from './audit-ship-command.ts';
import { auditVerifyCommand } from './audit-verify-command.ts';
import { withAudit } from './with-audit.ts';

export function auditCommand(): Command {
  const audit = new Command('audit').description(
    'List, export, ship, verify and sweep the audit log, which has one record per call.',
  );
  audit.addCommand(auditListCommand());
  audit.addCommand(auditExportCommand());
  audit.addCommand(deadLettersCommand());
  audit.addCommand(auditShipCommand());
  audit.addCommand(auditVerifyCommand());
  audit.addCommand(auditSweepCommand());
  return onlyHere(audit);
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;
const PAGE = 500;

interface ListOptions extends FilterOptions {
  readonly limit: number;
  readonly json?: true;
}

const auditListCommand = (): Command =>
  addFilterOptions(new Command('list').description('List audit records, newest first.'))
    .option(
      '--limit <number>',
      `number of records, up to ${MAX_LIMIT}`,
      parseCount(MAX_LIMIT),
      DEFAULT_LIMIT,
    )
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      '\nExample: tool-gateway audit list --tenant acme --error upstream_timeout --from 2026-11-01',
    )
    .action(listRecords);

async function listRecords({ limit, json, ...options }: ListOptions): Promise<void> {
  await withAudit(async ({ store, database }) => {
    const filter = await filterOf(options, database);
    const found = newest(store, filter, limit);
    if (json) return writeLines(toLines(found));
    const rows: string[][] = [];
    for await (const record of found) rows.push(toRow(record));
    process.stdout.write(formatTable(HEADING, rows));
  });
}

async function* newest(
  store: AuditStore,
  filter: AuditFilter,
  limit: number,
): AsyncGenerator<StoredAuditRecord> {
  let left = limit;
  let cursor: string | undefined;
  do {
    const page = await store.list({ ...filter, limit: Math.min(left, PAGE), cursor });
    yield* page.records;
    left -= page.records.length;
    cursor = page.nextCursor ?? undefined;
  } while (left > 0 && cursor !== undefined);
}

async function* toLines(records: AsyncIterable<StoredAuditRecord>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}

const HEADING = ['TIME', 'TOOL', 'OUTCOME', 'CAUSE', 'CACHE', 'MS', 'KEY', 'CLIENT', 'ID'];

const toRow = (record: StoredAuditRecord): string[] => [
  record.timestamp,
  record.tool,
  record.outcome,
  causeOf(record),
  record.cacheStatus ?? '',
  String(Math.round(record.durationMs)),
  record.apiKeyId,
  record.clientName ?? '',
  record.auditId,
];

const causeOf = ({ error, upstream, outcome }: StoredAuditRecord): string =>
  error?.code ?? (outcome === 'ok' ? '' : String(upstream.status ?? ''));

interface ExportOptions extends FilterOptions {
  readonly format: ExportFormat;
}

const auditExportCommand = (): Command =>
  addFilterOptions(
    new Command('export').description(
      'Write audit records to standard output, oldest first: one JSON object per line, or CSV.',
    ),
  )
    .addOption(
      new Option('--format <format>', 'ndjson, or csv for spreadsheets')
        .choices(EXPORT_FORMATS)
        .default('ndjson'),
    )
    .addHelpText(
      'after',
      '\nExample: tool-gateway audit export --from 2026-11-01 --format csv > audit.csv',
    )
    .action(exportRecords);

async function exportRecords({ format, ...options }: ExportOptions): Promise<void> {
  await withAudit(async ({ store, database }) => {
    const filter = await filterOf(options, database);
    await writeLines(encodeExport(store.pages(filter), format));
  });
}

/** What the command line calls the members of a filter. */
interface FilterOptions {
  readonly tenant?: string;
  readonly tool?: string;
  readonly status?: NonNullable<AuditFilter['outcome']>;
  readonly error?: string;
  readonly upstream?: string;
  readonly upstreamStatus?: (typeof UPSTREAM_CLASSES)[number];
  readonly key?: string;
  readonly client?: string;
  readonly cacheStatus?: NonNullable<AuditFilter['cacheStatus']>;
  readonly request?: string;
  readonly from?: number;
  readonly to?: number;
}

/** Adds the options that narrow which records a command reads. */
function addFilterOptions(command: Command): Command {
  const text = atMost(MAX_TEXT_FILTER);
  return command
    .option('--tenant <slug>', 'only records of this tenant')
    .option('--tool <name>', 'only calls of this tool', text)
    .addOption(new Option('--status <outcome>', 'only calls with this outcome').choices(OUTCOMES))
    .option('--error <code>', 'only calls that failed with this error code', text)
    .option('--upstream <host>', 'only calls to the upstream with this host', text)
    .addOption(
      new Option(
        '--upstream-status <class>',
        'only calls to which the upstream responded so',
      ).choices(UPSTREAM_CLASSES),
    )
    .option('--key <id>', 'only calls with this API key, or of this person', text)
    .option('--client <text>', 'only clients whose name contains this', atMost(MAX_CLIENT_FILTER))
    .addOption(
      new Option('--cache-status <status>', 'only calls with this cache status').choices(
        CACHE_STATUSES,
      ),
    )
    .option('--request <id>', 'only the call with this request id', text)
    .option('--from <time>', 'only records at or after this time, ISO 8601', parseTime)
    .option('--to <time>', 'only records before this time, ISO 8601', parseTime);
}

const atMost =
  (maxCharacters: number) =>
  (text: string): string => {
    if (text.length <= maxCharacters) return text;
    throw new InvalidArgumentError(`Give at most ${maxCharacters} characters.`);
  };

/** The filter of the options. Throws StartupError for an unknown tenant. */
async function filterOf(
  options: FilterOptions,
  { db }: Pick<Database, 'db'>,
): Promise<AuditFilter> {
  const { tenant, tool, status, error, upstream, upstreamStatus, key, client, cacheStatus } =
    options;
  return {
    tenantId: tenant === undefined ? null : (await requireTenant(db, tenant)).id,
    tool,
    outcome: status,
    error,
    upstreamHost: upstream,
    upstreamClass: upstreamStatus && Number(upstreamStatus[0]),
    apiKeyId: key,
    client,
    cacheStatus,
    requestId: options.request,
    fromMs: options.from,
    toMs: options.to,
  };
}

const deadLettersCommand = (): Command =>
  new Command('dead-letters')
    .description(
      'Write the records that PostgreSQL refused to standard output, one JSON object per line, oldest first.',
    )
    .addHelpText('after', '\nExample: tool-gateway audit dead-letters > refused.ndjson')
    .action(writeDeadLetters);

async function writeDeadLetters(): Promise<void> {
  const { DATA_DIR: dataDir } = readSettings(process.env);
  const dirs = auditDirs(dataDir);
  // Without any, opening the file says what to do.
  for (const dir of dirs.length > 0 ? dirs : [dataDir]) {
    tellDatabase(join(dir, AUDIT_FILE_NAME));
    const file = await openExistingAuditFile(dir);
    await writeLines(deadLetterLines(file.db)).finally(file.close);
  }
}

function auditSweepCommand(): Command {
  return new Command('sweep')
    .description(
      'Show which records are older than AUDIT_RETENTION_DAYS. With --yes, let the gateway delete all of them at once.',
    )
    .option('--yes', 'delete them, even if they are more than a day’s worth')
    .addHelpText('after', '\nExample: tool-gateway audit sweep --yes')
    .action(sweep);
}

async function sweep(options: { readonly yes?: true }): Promise<void> {
  const { AUDIT_RETENTION_DAYS: days } = readSettings(process.env);
  if (days === 0) {
    process.stdout.write('AUDIT_RETENTION_DAYS is 0: no records are deleted.\n');
    return;
  }
  await withAudit(async ({ db, database: { backend } }) => {
    const nowMs = Math.min(
      systemClock.now(),
      backend === 'postgres' ? await readDatabaseClock(db) : Number.POSITIVE_INFINITY,
    );
    const beforeMs = nowMs - days * DAY_MS;
    const count = await countBefore(db, beforeMs);
    const oldestMs = await endOfRecords(db, 'oldest');
    if (count === 0 || oldestMs === null) {
      process.stdout.write(`No record is older than ${days} days.\n`);
      return;
    }
    const summary = `${count} records from ${isoTime(oldestMs)} to ${isoTime(beforeMs)} are older than ${days} days. The clock shows ${isoTime(nowMs)}.`;
    if (options.yes) await approveSweep(db, beforeMs);
    const next = options.yes
      ? 'A running gateway deletes them within a minute; otherwise the next start does.'
      : `To delete them at once, run: ${commandLine('audit sweep --yes')}`;
    process.stdout.write(`${summary}\n${next}\n`);
  });
}
