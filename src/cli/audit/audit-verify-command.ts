import { Command, InvalidArgumentError } from 'commander';
import type { LinkName } from '../../audit/chain/chain-link.ts';
import { type VerifyReport, verifyChain } from '../../audit/chain/chain-verify.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { parseTime } from '../shared/parse-time.ts';
import { formatTable } from '../shared/table.ts';
import { withAudit } from './with-audit.ts';

interface VerifyCommandOptions {
  readonly origin?: string;
  readonly anchor: readonly LinkName[];
  readonly began?: number;
  readonly json?: true;
}

export function auditVerifyCommand(): Command {
  return new Command('verify')
    .description('Check the audit log against its hash chain. Exit with 1 if the log was changed.')
    .option('--origin <id>', 'check only the chain of one gateway')
    .option(
      '--anchor <origin:seq:hash>',
      'an anchor from the gateway’s log, which the chain must contain; comma-separated or repeated',
      addAnchors,
      [],
    )
    .option(
      '--began <time>',
      'records before this time need no link, ISO 8601; for an upgrade of several gateways',
      parseTime,
    )
    .option('--json', 'print the whole report as JSON')
    .addHelpText('after', '\nExample: tool-gateway audit verify --json')
    .action(verify);
}

const ANCHOR = /^(org_[0-9a-f]{16}):(\d{1,15}):([\w-]{43})$/;

const addAnchors = (text: string, before: readonly LinkName[]): readonly LinkName[] => [
  ...before,
  ...text.split(',').map(readAnchor),
];

function readAnchor(text: string): LinkName {
  const [, origin, seq, hash] = ANCHOR.exec(text.trim()) ?? [];
  if (origin === undefined || hash === undefined) {
    throw new InvalidArgumentError(
      'Give an anchor in the form origin:seq:hash, as the gateway logs it.',
    );
  }
  return { origin, seq: Number(seq), hash };
}

/** A running gateway stores the link of a new record within this time. */
const SETTLE_MS = 1000;

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
      settleMs: SETTLE_MS,
    });
  });
  process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : format(report));
  if (options.origin !== undefined && report.origins.length === 0) {
    throw new StartupError(`There is no chain with the origin ${options.origin}.`);
  }
  if (!report.intact) throw new StartupError(`The audit log was changed: ${countsOf(report)}.`);
}

const PROGRESS_INTERVAL_MS = 5000;

/** Prints a line on standard error every five seconds while a large log is checked. */
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
      ? `${report.unchainedRecords} records are older than the chain and cannot be checked.\n`
      : '';
  const found = report.findings.map(
    ({ kind, origin, seq, text }) =>
      `${kind}: ${origin === undefined ? '' : `${origin} link ${seq}: `}${text}\n`,
  );
  const first =
    report.firstRecord === null ? '' : `The first record concerned is ${report.firstRecord}.\n`;
  const verdict = report.intact ? 'The audit log is intact.\n' : first;
  return `${table}${unchained}${found.join('')}${verdict}`;
}

const countsOf = ({ counts }: VerifyReport): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
