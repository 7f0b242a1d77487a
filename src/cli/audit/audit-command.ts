import { join } from 'node:path';
import { Command, Option } from 'commander';
import { openAuditReader } from '../../audit/audit.ts';
import { AUDIT_FILTER, auditFilterOf, createAuditOperations } from '../../audit/operations.ts';
import { EXPORT_FORMATS, encodeExport } from '../../audit/reading/encode-export.ts';
import {
  AUDIT_FILE_NAME,
  auditDirs,
  openExistingAuditFile,
} from '../../audit/record/audit-file.ts';
import { deadLetterLines } from '../../audit/shipping/dead-letters.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { addList } from '../operations/add-operation.ts';
import { addMemberOptions } from '../operations/member-options.ts';
import type { Feature } from '../operations/operation-runner.ts';
import { writeLines } from '../shared/output.ts';
import { assertHere, printDatabaseName, requireTenant } from '../shared/with-database.ts';
import { auditShipCommand } from './audit-ship-command.ts';
import { auditVerifyCommand } from './audit-verify-command.ts';
import { withAudit } from './with-audit.ts';

const AUDIT: Feature<ReturnType<typeof createAuditOperations>> = {
  declared: createAuditOperations({} as Parameters<typeof createAuditOperations>[0]),
  open: async ({ database, settings: { DATA_DIR: dataDir }, parts }) => {
    const reader = await openAuditReader({ database, dataDir });
    parts.push(reader);
    return createAuditOperations({ auditStore: reader.store });
  },
};

export function auditCommand(): Command {
  const audit = new Command('audit').description(
    'List, export, ship and verify the audit log, which has one record per call.',
  );
  addList(audit, AUDIT, {
    operation: 'GET /tenants/:tenant/audit',
    allTenantsOperation: 'GET /audit',
    example: '--tenant acme --error upstream_timeout --from 2026-11-01',
    limit: 100,
    rows: (output) => output.records,
    columns: {
      TIME: ({ timestamp }) => timestamp,
      TOOL: ({ tool }) => tool,
      OUTCOME: ({ outcome }) => outcome,
      CAUSE: ({ error, upstream, outcome }) =>
        error?.code ?? (outcome === 'ok' ? '' : String(upstream.status ?? '')),
      CACHE: ({ cacheStatus }) => cacheStatus ?? '',
      MS: ({ durationMs }) => String(Math.round(durationMs)),
      KEY: ({ apiKeyId }) => apiKeyId,
      CLIENT: ({ clientName }) => clientName ?? '',
      ID: ({ auditId }) => auditId,
    },
  });
  return audit
    .addCommand(auditExportCommand())
    .addCommand(deadLettersCommand())
    .addCommand(auditShipCommand())
    .addCommand(auditVerifyCommand());
}

function auditExportCommand(): Command {
  const command = new Command('export')
    .description(
      'Write audit records to standard output, oldest first: one JSON object per line, or CSV.',
    )
    .option('--tenant <slug>', 'only records of this tenant');
  const readFilter = addMemberOptions(command, AUDIT_FILTER);
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
  assertHere();
  const { DATA_DIR: dataDir } = readSettings(process.env);
  const dirs = auditDirs(dataDir);
  // Without any, opening the file says what to do.
  for (const dir of dirs.length > 0 ? dirs : [dataDir]) {
    printDatabaseName(join(dir, AUDIT_FILE_NAME));
    const file = await openExistingAuditFile(dir);
    await writeLines(deadLetterLines(file.db)).finally(file.close);
  }
}
