import { Command, InvalidArgumentError } from 'commander';
import { DAY_MS } from '../../audit/retention/audit-retention.ts';
import type { Anchor } from '../../audit/seals/seal.ts';
import { type VerifyReport, verifySeals } from '../../audit/seals/verify-seals.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { count } from '../shared/output.ts';
import { withAudit } from './with-audit.ts';

interface VerifyCommandOptions {
  readonly anchor: readonly Anchor[];
  readonly json?: true;
}

export function auditVerifyCommand(): Command {
  return new Command('verify')
    .description('Check the audit log against its seals. Exit with 1 if the log was changed.')
    .option(
      '--anchor <seq:hash>',
      'an anchor from the gateway’s log, which must be among the seals; comma-separated or repeated',
      addAnchors,
      [],
    )
    .option('--json', 'print the whole report as JSON')
    .addHelpText('after', '\nExample: tool-gateway audit verify --json')
    .action(verify);
}

const ANCHOR = /^([1-9]\d{0,14}):([\w-]{43})$/;

const addAnchors = (text: string, before: readonly Anchor[]): readonly Anchor[] => [
  ...before,
  ...text.split(',').map(readAnchor),
];

function readAnchor(text: string): Anchor {
  const [, seq, hash] = ANCHOR.exec(text.trim()) ?? [];
  if (hash === undefined) {
    throw new InvalidArgumentError('Give an anchor in the form seq:hash, as the gateway logs it.');
  }
  return { seq: Number(seq), hash };
}

async function verify(options: VerifyCommandOptions): Promise<void> {
  const { AUDIT_RETENTION_DAYS: days } = readSettings(process.env);
  const report = await withAudit(async ({ db, now }) =>
    verifySeals({
      db,
      anchors: options.anchor,
      expiredBeforeMs: days === 0 ? Number.NEGATIVE_INFINITY : (await now()) - days * DAY_MS,
      onProgress: showProgress(),
    }),
  );
  process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : format(report));
  const { finding } = report;
  if (finding) throw new StartupError(`The audit log was changed: seal ${finding.seq}.`);
}

const PROGRESS_INTERVAL_MS = 5000;

/** Prints a line on standard error every five seconds while a large log is checked. */
function showProgress(): (seals: number, records: number) => void {
  let nextMs = performance.now() + PROGRESS_INTERVAL_MS;
  return (seals, records) => {
    if (performance.now() < nextMs) return;
    nextMs = performance.now() + PROGRESS_INTERVAL_MS;
    process.stderr.write(`${seals} seals and ${records} records checked so far.\n`);
  };
}

function format(report: VerifyReport): string {
  const { seals, records, expiredSeals, unsealedRecords, anchor, finding } = report;
  const lines = [`Checked ${count(seals, 'seal')} with ${count(records, 'record')}.`];
  if (expiredSeals > 0) {
    lines.push(`The records of ${count(expiredSeals, 'seal')} were deleted because of their age.`);
  }
  if (finding) {
    const span = [
      finding.from === null ? '' : ` after ${finding.from}`,
      finding.to === null ? '' : ` until ${finding.to}`,
    ].join('');
    lines.push(`Seal ${finding.seq}${span && ` of records${span}`}: ${finding.text}`);
  } else {
    lines.push(`Not sealed yet: ${count(unsealedRecords, 'record')}.`);
    if (anchor !== null) lines.push(`Newest anchor: ${anchor}`);
    lines.push('The audit log is intact.');
  }
  return `${lines.join('\n')}\n`;
}
