import { StartupError } from '../../platform/kernel/error.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import type { OperationOutcome } from '../../tools/compile/compile-outcome.ts';
import type { ApiReport } from '../../tools/report/create-report.ts';
import { formatReport } from '../openapi/format-report.ts';
import { count, formatTable } from '../shared/output.ts';
import type { JobStatus } from './job-status.ts';

/** The tools of a job, or the report of a dry run. */
export function formatResult({ status, toolIds, report }: JobStatus): string {
  if (status !== 'checked') {
    return formatTable(
      ['ID', 'NAME'],
      toolIds.map((id) => [id, nameOf(id)]),
    );
  }
  if (isReport(report)) return formatReport(report);
  throw new StartupError('The report has another form than that of this version. Add --json.');
}

/** What follows the slugs of the tenant and of the API, which have no dots (docs/contract.md#identifiers). */
const nameOf = (toolId: string): string => toolId.split('.').slice(2).join('.');

/** The message of a job that registered nothing, and what to do. */
export function describeFailure({ status, origins, error }: JobStatus): string {
  const { code, message, pointer } = error;
  const place = pointer ? `\n  at ${pointer}` : '';
  const advice = status === 'confirmation_required' ? confirmWith(origins) : adviceOn(code);
  return `${message}${place}\n${['Nothing was registered.', ...advice].join(' ')}`;
}

const confirmWith = (origins: readonly string[]): string[] => [
  'To send the credential there, add:',
  ...origins.map((origin) => `--confirm-origin ${origin}`),
];

function adviceOn(code: string): string[] {
  if (code.startsWith('upstream_')) {
    return ['Check the address, or download the description and register the file.'];
  }
  if (['internal', 'unavailable', 'overloaded'].includes(code)) return ['Run the command again.'];
  // Their messages say what to do.
  if (['conflict'].includes(code)) return [];
  return [`To check the description, run: ${commandLine('openapi check <source>')}`];
}

/** What a person should know about a job that has not failed, besides its result. */
export function describeEnding({ status, report }: JobStatus): string {
  const operations = status === 'registered' && isReport(report) ? report.operations : [];
  const numberOf = (wanted: OperationOutcome['outcome']): number =>
    operations.filter(({ outcome }) => outcome === wanted).length;
  const [changed, refused] = [numberOf('changed'), numberOf('refused')];
  if (changed + refused === 0) return '';
  return `${count(refused, 'operation')} refused, ${changed} changed. Add --dry-run to see why.\n`;
}

const isReport = (report: unknown): report is ApiReport =>
  isObject(report) &&
  Array.isArray(report['operations']) &&
  Array.isArray(report['warnings']) &&
  isObject(report['scoreParts']);
