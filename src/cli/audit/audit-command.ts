import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { openAuditReader } from '../../audit/audit.ts';
import {
  AUDIT_FILTER,
  type AuditFilterInput,
  auditFilterOf,
  createAuditOperations,
} from '../../audit/operations.ts';
import { MAX_CLIENT_FILTER, MAX_TEXT_FILTER } from '../../audit/reading/audit-filter.ts';
import { EXPORT_FORMATS, encodeExport } from '../../audit/reading/encode-export.ts';
import {
  AUDIT_FILE_NAME,
  auditDirs,
  openExistingAuditFile,
} from '../../audit/record/audit-file.ts';
import type { StoredAuditRecord } from '../../audit/record/audit-record.ts';
import { deadLetterLines } from '../../audit/shipping/dead-letters.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { isoTime } from '../../platform/kernel/time.ts';
import {
  addMembers,
  addOperation,
  type MemberOption,
  OWN_ELSEWHERE,
} from '../operations/add-operation.ts';
import type { Feature } from '../operations/operation-runner.ts';
import { onlyHere } from '../operations/with-operations.ts';
import { parseTime } from '../shared/options.ts';
import { writeLines } from '../shared/output.ts';
import { addLimitOptions, printList } from '../shared/print-list.ts';
import { readPages } from '../shared/read-pages.ts';
import { requireTenant } from '../shared/require-tenant.ts';
import { tellDatabase } from '../shared/with-database.ts';
import { auditShipCommand } from './audit-ship-command.ts';
import { auditVerifyCommand } from './audit-verify-command.ts';
import { withAudit } from './with-audit.ts';

export function auditCommand(): Command {
  const audit = new Command('audit').description(
    'List, export, ship and verify the audit log, which has one record per call.',
  );
  addOperation(audit, AUDIT, {
    place: 'GET /tenants/:tenant/audit',
    ofAll: 'GET /audit',
    description: 'List audit records, newest first.',
    example: '--tenant acme --error upstream_timeout --from 2026-11-01',
    tenant: `only records of this tenant; ${OWN_ELSEWHERE}`,
    only: Object.keys(AUDIT_FILTER),
    members: FILTERS,
    addOptions: (command) => addLimitOptions(command, 'records'),
    run: ({ options, send }) =>
      printList(readPages(send, 'records', options['limit']), options, HEADING, toRow),
  });
  audit.addCommand(auditExportCommand());
  audit.addCommand(deadLettersCommand());
  audit.addCommand(auditShipCommand());
  audit.addCommand(auditVerifyCommand());
  return onlyHere(audit);
}

const AUDIT: Feature<ReturnType<typeof createAuditOperations>> = {
  declared: createAuditOperations({} as Parameters<typeof createAuditOperations>[0]),
  open: async ({ database, settings: { DATA_DIR: dataDir }, parts }) => {
    const reader = await openAuditReader({ database, dataDir });
    parts.push(reader);
    return createAuditOperations({ auditStore: reader.store });
  },
};

const text = (flags: string, max = MAX_TEXT_FILTER): MemberOption => ({
  flags,
  parse: (given) => {
    if (given.length <= max) return given;
    throw new InvalidArgumentError(`Give at most ${max} characters.`);
  },
});

const time = (flags: string, help: string): MemberOption => ({
  flags,
  help: `only records ${help} this time, ISO 8601`,
  parse: (given) => isoTime(parseTime(given)),
});

/** What the command line calls the members of a filter. */
const FILTERS: Readonly<Record<keyof AuditFilterInput, MemberOption>> = {
  tool: text('--tool <name>'),
  status: { flags: '--status <outcome>' },
  error: text('--error <code>'),
  upstream: text('--upstream <host>'),
  upstreamStatus: { flags: '--upstream-status <class>' },
  key: { ...text('--key <id>'), help: 'only calls with this API key, or of this person' },
  client: text('--client <text>', MAX_CLIENT_FILTER),
  cacheStatus: { flags: '--cache-status <status>' },
  requestId: text('--request <id>'),
  from: time('--from <time>', 'at or after'),
  to: time('--to <time>', 'before'),
};

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

function auditExportCommand(): Command {
  const command = new Command('export')
    .description(
      'Write audit records to standard output, oldest first: one JSON object per line, or CSV.',
    )
    .option('--tenant <slug>', 'only records of this tenant');
  const readFilter = addMembers(command, AUDIT_FILTER, FILTERS);
  return command
    .addOption(
      new Option('--format <format>', 'ndjson, or csv for spreadsheets')
        .choices(EXPORT_FORMATS)
        .default('ndjson'),
    )
    .addHelpText(
      'after',
      '\nExample: tool-gateway audit export --from 2026-11-01 --format csv > audit.csv',
    )
    .action(({ tenant, format, ...options }) =>
      withAudit(async ({ store, database: { db } }) => {
        const tenantId = tenant === undefined ? null : (await requireTenant(db, tenant)).id;
        const filter = auditFilterOf(tenantId, readFilter(options));
        await writeLines(encodeExport(store.pages(filter), format));
      }),
    );
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
