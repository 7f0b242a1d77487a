import { once } from 'node:events';
import { Command } from 'commander';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import { openAuditReader } from '../../audit/audit.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { parseTime } from '../shared/parse-time.ts';
import { withDatabase } from '../shared/with-database.ts';
import { deadLettersCommand } from './audit-dead-letters.ts';
import { auditSweepCommand } from './audit-sweep-command.ts';
import { auditVerifyCommand } from './audit-verify-command.ts';

interface ExportOptions {
  readonly tenant?: string;
  readonly from?: number;
  readonly to?: number;
}

export function auditCommand(): Command {
  const audit = new Command('audit').description('The audit log: one record per call.');
  audit
    .command('export')
    .description('Write audit records to standard output, one JSON object a line, oldest first.')
    .option('--tenant <slug>', 'only records of this tenant')
    .option('--from <time>', 'at or after this time, ISO 8601', parseTime)
    .option('--to <time>', 'before this time, ISO 8601', parseTime)
    .action(exportRecords);
  audit.addCommand(deadLettersCommand());
  audit.addCommand(auditVerifyCommand());
  audit.addCommand(auditSweepCommand());
  return audit;
}

async function exportRecords({ tenant: slug, from, to }: ExportOptions): Promise<void> {
  await withDatabase(async (database) => {
    const { DATA_DIR: dataDir } = readSettings(process.env);
    const tenant = slug
      ? await createTenantStore({ db: database.db, clock: systemClock }).findBySlug(slug)
      : undefined;
    if (slug && !tenant) throw new StartupError(`There is no tenant ${slug}.`);
    const reader = await openAuditReader({ database, dataDir });
    try {
      const lines = reader.store.exportLines({
        ...(tenant ? { tenantId: tenant.id } : {}),
        ...(from === undefined ? {} : { fromMs: from }),
        ...(to === undefined ? {} : { toMs: to }),
      });
      for await (const line of lines) {
        if (!process.stdout.write(line)) await once(process.stdout, 'drain');
      }
    } finally {
      await reader.close();
    }
  });
}
