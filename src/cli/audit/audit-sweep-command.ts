import { Command } from 'commander';
import {
  approveSweep,
  countBefore,
  endOfRecords,
  readDatabaseClock,
} from '../../audit/retention/audit-sweeps.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { withAudit } from './with-audit.ts';

const DAY_MS = 86_400_000;

export function auditSweepCommand(): Command {
  return new Command('sweep')
    .description(
      'Show which records are older than AUDIT_RETENTION_DAYS; with --yes, let the gateway delete them all at once.',
    )
    .option('--yes', 'delete them, also when that is more than a day’s worth')
    .action(sweep);
}

async function sweep(options: { readonly yes?: true }): Promise<void> {
  const { AUDIT_RETENTION_DAYS: days } = readSettings(process.env);
  if (days === 0) {
    process.stdout.write('AUDIT_RETENTION_DAYS is 0: no records are deleted.\n');
    return;
  }
  await withAudit(async ({ db, backend }) => {
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
    const what = `${count} records from ${isoTime(oldestMs)} to ${isoTime(beforeMs)} are older than ${days} days, by a clock that says ${isoTime(nowMs)}.`;
    if (options.yes) await approveSweep(db, beforeMs);
    const then = options.yes
      ? 'A running gateway deletes them within a minute; otherwise the next start does.'
      : 'To have them deleted at once, run: tool-gateway audit sweep --yes';
    process.stdout.write(`${what}\n${then}\n`);
  });
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
