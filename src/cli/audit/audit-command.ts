import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { openAuditReader } from '../../audit/audit.ts';
import { AUDIT_FILTER, auditFilterOf, createAuditOperations } from '../../audit/operations.ts';
import { EXPORT_FORMATS, encodeExport } from '../../audit/reading/encode-export.ts';
import {
  AUDIT_FILE_NAME,
  auditDirs,
  openExistingAuditFile,
} from '../../audit/record/audit-file.ts';
import { callCause } from '../../audit/record/failure-origin.ts';
import { shipAudit } from '../../audit/ship-audit.ts';
import { deadLetterLines } from '../../audit/shipping/dead-letters.ts';
import { readSettings } from '../../platform/config/settings.ts';
import type { Database } from '../../platform/database/database.ts';
import { forgetReplica } from '../../platform/database/replica-registry.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';
import { addList } from '../operations/add-operation.ts';
import { addMemberOptions } from '../operations/member-options.ts';
import type { Feature } from '../operations/operation-runner.ts';
import { count, writeLines } from '../shared/output.ts';
import {
  assertHere,
  printDatabaseName,
  requireTenant,
  withDatabase,
} from '../shared/with-database.ts';
import { auditVerifyCommand, withAudit } from './audit-verify-command.ts';

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
      CAUSE: ({ outcome, error, cause }) => callCause(outcome, error?.code ?? null, cause) ?? '',
      DETAIL: ({ error, upstream, outcome }) =>
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

export const auditShipCommand = (): Command =>
  new Command('ship')
    .description('Ship the records that wait in the DATA_DIR of a lost gateway to PostgreSQL.')
    .addOption(new Option('--from <dir>', 'the DATA_DIR of that gateway'))
    .addOption(
      new Option(
        '--forget <replica>',
        'only stop reporting a lost replica, whose directory no longer exists',
      ).conflicts('from'),
    )
    .addHelpText('after', '\nExample: tool-gateway audit ship --from /var/lib/tool-gateway-2')
    .action(ship);

async function ship({ from, forget }: { readonly from?: string; readonly forget?: string }) {
  if (from === undefined && forget === undefined) {
    throw new StartupError('Name the directory: --from <dir>.');
  }
  await withDatabase('change', async (database) => {
    if (database.backend !== 'postgres') {
      throw new StartupError('Set DATABASE_URL to the PostgreSQL server of the lost gateway.');
    }
    await (from === undefined ? forgetOne(forget ?? '', database) : shipFrom(from, database));
  });
}

async function shipFrom(dir: string, database: Database): Promise<void> {
  const from = resolve(dir);
  const { records, deadLetters, replicaId } = await shipAudit(from, database);
  const lines = [
    records > 0
      ? `Shipped ${count(records, 'record')} from ${from}.`
      : `No record waits in ${from}.`,
  ];
  if (replicaId) lines.push(`${replicaId} is no longer reported as lost.`);
  if (deadLetters > 0) {
    lines.push(
      `PostgreSQL refused ${count(deadLetters, 'record')}; to see them, run: DATA_DIR=${from} ${commandLine('audit dead-letters')}`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function forgetOne(id: string, { db }: Database): Promise<void> {
  if (!(await forgetReplica(db, id))) {
    throw new StartupError(`There is no lost replica ${id}. /health/detailed lists them.`);
  }
  process.stdout.write(`${id} is no longer reported as lost.\n`);
}
