import { Paper } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import type { UseMutationResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { EmptyState, ErrorAlert } from '../shared/page.tsx';
import { lazyPart, Waiting } from '../shared/waiting.tsx';
import type { Arguments } from './form-values.ts';
import { OVER } from './ranges.ts';
import {
  type Run,
  runTool,
  type runUnlessLong,
  type SplitIssues,
  type ToolDetails,
} from './run-tool.ts';

const Outcome = lazyPart(async () => (await import('./outcome.tsx')).Outcome);
const RangeCostPanel = lazyPart(async () => (await import('./range-run.tsx')).RangeCostPanel);
const RangeProgress = lazyPart(async () => (await import('./range-run.tsx')).RangeProgress);

export interface ToStart {
  readonly args: Arguments;
  readonly run: typeof runTool | typeof runUnlessLong;
}

export interface RunPanelProps {
  readonly run: UseMutationResult<Run, Error, ToStart>;
  readonly tool: ToolDetails;
  /** What is wrong with the arguments of the last run. */
  readonly issues: SplitIssues;
  readonly onStart: (wanted: ToStart) => void;
  readonly onStop: () => void;
}

/** What a run came to: nothing yet, a cost to agree to, under way, refused, failed or a result. */
export function RunPanel({ run, tool, issues, onStart, onStop }: RunPanelProps) {
  const { t } = useTranslation('playground');
  return (
    <Paper
      withBorder
      mih="18rem"
      p="md"
      component="section"
      aria-label={t('result.title')}
      aria-busy={run.isPending}
    >
      {run.isIdle && (
        <EmptyState icon={IconPlayerPlay} title={t('result.empty')} text={t('result.emptyText')} />
      )}
      {run.isPending &&
        (run.variables.args[OVER] === undefined ? (
          <Waiting lines={8} />
        ) : (
          <RangeProgress onStop={onStop} />
        ))}
      {run.error && !isStopped(run.error) && (
        <ErrorAlert error={run.error} onRetry={() => onStart(run.variables)} />
      )}
      {run.data?.estimate ? (
        <RangeCostPanel
          cost={run.data.estimate}
          onGoOn={() => run.variables && onStart({ ...run.variables, run: runTool })}
        />
      ) : (
        run.data && <Outcome run={run.data} tool={tool} issues={issues} />
      )}
    </Paper>
  );
}

/** The person stopped it. */
const isStopped = (error: Error): boolean =>
  !(error instanceof AdminError) && error.name === 'AbortError';
