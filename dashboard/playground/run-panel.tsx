import { Loader, Paper, Stack } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import type { ToolDetails } from '../catalogue/catalogue-queries.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { CallError } from './call-error.tsx';
import { CostList } from './cost-list.tsx';
import type { RunState } from './playground.tsx';
import { ResultViews } from './result-views.tsx';
import classes from './run-panel.module.css';
import type { Run } from './run-tool.ts';

export interface RunPanelProps {
  readonly run: RunState;
  readonly tool: ToolDetails;
  readonly onRetry: () => void;
}

/** What a run came to: nothing yet, under way, refused, failed or a result. */
export function RunPanel({ run, tool, onRetry }: RunPanelProps) {
  const { t } = useTranslation('playground');
  return (
    <Paper
      withBorder
      className={classes.root}
      component="section"
      aria-label={t('result.title')}
      aria-busy={run.isPending}
    >
      {run.isIdle && (
        <EmptyState icon={IconPlayerPlay} title={t('result.empty')} text={t('result.emptyText')} />
      )}
      {run.isPending && (
        <div className={classes.waiting}>
          <Loader size="sm" />
        </div>
      )}
      {run.error && !isStopped(run.error) && <ErrorAlert error={run.error} onRetry={onRetry} />}
      {run.data && <Outcome run={run.data} tool={tool} />}
    </Paper>
  );
}

/** The person stopped it. */
const isStopped = (error: Error): boolean =>
  !(error instanceof AdminError) && error.name === 'AbortError';

const Outcome = ({ run, tool }: { readonly run: Run; readonly tool: ToolDetails }) => (
  <Stack gap="sm">
    <CostList run={run} />
    {run.error ? (
      <CallError error={run.error} text={run.text} />
    ) : (
      <ResultViews run={run} tool={tool} />
    )}
  </Stack>
);
