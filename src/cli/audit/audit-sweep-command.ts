import { Command } from 'commander';
import { DAY_MS } from '../../audit/retention/audit-horizon.ts';
import {
  approveSweep,
  countBefore,
  endOfRecords,
  readDatabaseClock,
} from '../../audit/retention/audit-sweeps.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { commandLine } from '../../platform/kernel/command-line.ts';
import { isoTime } from '../../platform/kernel/iso-time.ts';
import { withAudit } from './with-audit.ts';

export function auditSweepCommand(): Command {
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
