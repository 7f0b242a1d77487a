import type { OperationOutcome } from '../../tools/compile/compile-outcome.ts';
import type { ApiReport } from '../../tools/report/create-report.ts';
import { SCORE_WEIGHTS } from '../../tools/report/score.ts';
import { count, formatTable } from '../shared/output.ts';

/** The report for a terminal. The compiler has removed control characters from its texts. */
export function formatReport(report: ApiReport): string {
  const { operations, warnings, tools, tokens } = report;
  const lines = [
    ...operations.filter(({ reason }) => reason !== null).map(describe),
    ...warnings.map(({ message, pointer, count: places }) =>
      remark(`Warning: ${message}`, places > 1 ? `${pointer} and ${places - 1} more` : pointer),
    ),
  ];
  return [
    formatTable(['METHOD', 'PATH', 'TOOL', 'RESULT'], operations.map(toRow)),
    ...(lines.length > 0 ? ['\n', ...lines] : []),
    `\nScore ${report.score} of 100: ${describeParts(report)}.\n`,
    `${count(tools, 'tool')}, about ${tokens} tokens in a list; ${describeOutcomes(operations)}.\n`,
  ].join('');
}

const toRow = ({ method, path, tool, outcome }: OperationOutcome): string[] => [
  method,
  path,
  tool ?? '-',
  outcome,
];

const describe = ({ method, path, outcome, reason, pointer }: OperationOutcome): string =>
  remark(`${method} ${path} was ${outcome}: ${reason}`, pointer);

const remark = (text: string, place: string): string =>
  `${text}\n  at ${place || 'the document'}\n`;

const describeParts = ({ scoreParts }: ApiReport): string =>
  Object.entries(SCORE_WEIGHTS)
    .map(([part, most]) => `${part} ${scoreParts[part as keyof typeof scoreParts]}/${most}`)
    .join(', ');

function describeOutcomes(operations: readonly OperationOutcome[]): string {
  const numberOf = (wanted: OperationOutcome['outcome']): number =>
    operations.filter(({ outcome }) => outcome === wanted).length;
  return `${numberOf('accepted')} accepted, ${numberOf('changed')} changed, ${numberOf('refused')} refused`;
}
