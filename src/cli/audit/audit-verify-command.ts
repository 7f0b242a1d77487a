import { Command, InvalidArgumentError } from 'commander';
import type { ChainAnchor } from '../../audit/chain/chain-link.ts';
import { type VerifyReport, verifyChain } from '../../audit/chain/chain-verify.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { parseTime } from '../shared/parse-time.ts';
import { formatTable } from '../shared/table.ts';
import { withAudit } from './with-audit.ts';

type Anchor = Pick<ChainAnchor, 'origin' | 'seq' | 'hash'>;

interface VerifyCommandOptions {
  readonly origin?: string;
  readonly anchor: readonly Anchor[];
  readonly began?: number;
  readonly json?: true;
}

export function auditVerifyCommand(): Command {
  return new Command('verify')
    .description('Check the audit log against its hash chain; exits with 1 when it was changed.')
    .option('--origin <id>', 'only the chain of one gateway')
    .option(
      '--anchor <origin:seq:hash>',
      'an anchor out of the log: the chain must hold it; may be given again',
      addAnchor,
      [],
    )
    .option(
      '--began <time>',
      'records from before this time need no link, ISO 8601; for an upgrade of several gateways',
      parseTime,
    )
    .option('--json', 'the whole report as JSON')
    .action(verify);
}

const ANCHOR = /^(org_[0-9a-f]{16}):(\d{1,15}):([\w-]{43})$/;

function addAnchor(text: string, before: readonly Anchor[]): readonly Anchor[] {
  const [, origin, seq, hash] = ANCHOR.exec(text) ?? [];
  if (origin === undefined || hash === undefined) {
    throw new InvalidArgumentError('Give an anchor as the log shows it: origin:seq:hash.');
  }
  return [...before, { origin, seq: Number(seq), hash }];
}

async function verify(options: VerifyCommandOptions): Promise<void> {
  const report = await withAudit(async ({ db, deadRecords }) => {
    const dead = await deadRecords();
    return verifyChain({
      db,
      deadLetters: async (ids) => new Set(ids.filter((id) => dead.has(id))),
      origin: options.origin,
      anchors: options.anchor,
      beganMs: options.began,
      onProgress: showProgress(),
    });
  });
  process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : format(report));
  if (options.origin !== undefined && report.origins.length === 0) {
    throw new StartupError(`There is no chain of the origin ${options.origin}.`);
  }
  if (!report.intact) throw new StartupError(`The audit log was changed: ${countsOf(report)}.`);
}

const PROGRESS_INTERVAL_MS = 5000;

/** A line now and then on standard error, for a log that takes long. */
function showProgress(): (links: number, records: number) => void {
  let nextMs = performance.now() + PROGRESS_INTERVAL_MS;
  return (links, records) => {
    if (performance.now() < nextMs) return;
    nextMs = performance.now() + PROGRESS_INTERVAL_MS;
    process.stderr.write(`${links} links and ${records} records checked so far.\n`);
  };
}

function format(report: VerifyReport): string {
  const table = formatTable(
    ['ORIGIN', 'LINKS', 'RECORDS', 'SWEPT', 'SET ASIDE', 'FROM', 'TO', 'LAST LINK'],
    report.origins.map((origin) => [
      origin.origin,
      String(origin.links),
      String(origin.records),
      String(origin.sweptRecords),
      String(origin.deadLettered),
      origin.firstAt,
      origin.lastAt,
      `${origin.lastSeq}:${origin.lastHash}`,
    ]),
  );
  const unchained =
    report.unchainedRecords > 0
      ? `${report.unchainedRecords} records are from before the chain began and cannot be checked.\n`
      : '';
  const found = report.findings.map(
    ({ kind, origin, seq, text }) =>
      `${kind}: ${origin === undefined ? '' : `${origin} link ${seq}: `}${text}\n`,
  );
  const verdict = report.intact ? 'The audit log is as it was written.\n' : '';
  return `${table}${unchained}${found.join('')}${verdict}`;
}

const countsOf = ({ counts }: VerifyReport): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
