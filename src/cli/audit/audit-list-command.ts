import { Command } from 'commander';
import type { AuditFilter } from '../../audit/reading/audit-filter.ts';
import type { AuditStore } from '../../audit/reading/audit-store.ts';
import type { StoredAuditRecord } from '../../audit/record/audit-record.ts';
import { parseCount } from '../shared/parse-count.ts';
import { formatTable } from '../shared/table.ts';
import { writeLines } from '../shared/write-lines.ts';
import { addFilterOptions, type FilterOptions, filterOf } from './filter-options.ts';
import { withAudit } from './with-audit.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;
const PAGE = 500;

interface ListOptions extends FilterOptions {
  readonly limit: number;
  readonly json?: true;
}

export const auditListCommand = (): Command =>
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
