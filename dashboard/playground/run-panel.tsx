import { Paper } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import type { UseMutationResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { EmptyState, ErrorAlert } from '../shared/page.tsx';
import { lazyPart, Waiting } from '../shared/waiting.tsx';
import type { Arguments } from './form-values.ts';
import type { Run, SplitIssues, ToolDetails } from './run-tool.ts';

const Outcome = lazyPart(async () => (await import('./outcome.tsx')).Outcome);

export interface RunPanelProps {
  readonly run: UseMutationResult<Run, Error, Arguments>;
  readonly tool: ToolDetails;
  /** What is wrong with the arguments of the last run. */
  readonly issues: SplitIssues;
  readonly onRetry: () => void;
}

/** What a run came to: nothing yet, under way, refused, failed or a result. */
export function RunPanel({ run, tool, issues, onRetry }: RunPanelProps) {
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
      {run.isPending && <Waiting lines={8} />}
      {run.error && !isStopped(run.error) && <ErrorAlert error={run.error} onRetry={onRetry} />}
      {run.data && <Outcome run={run.data} tool={tool} issues={issues} />}
    </Paper>
  );
}

/** The person stopped it. */
const isStopped = (error: Error): boolean =>
  !(error instanceof AdminError) && error.name === 'AbortError';
