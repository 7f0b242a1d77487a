import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../shared/link-anchor.tsx';
import { useFormat } from '../shared/use-format.ts';
import classes from './run-panel.module.css';
import type { Run } from './run-tool.ts';

/** What a call cost: time, bytes, tokens and cache, with a link to its audit record. */
export function CostList({ run }: { readonly run: Run }) {
  const { t } = useTranslation('playground');
  const format = useFormat();
  const { durationMs, upstreamMs, bytes, tokens } = run.cost;
  const auditId = run.result?.auditId ?? run.error?.data?.auditId;
  return (
    <dl className={classes.cost} aria-label={t('cost.label')}>
      <Cost label={t('cost.duration')}>{format.duration(durationMs)}</Cost>
      <Cost label={t('cost.upstream')}>
        {upstreamMs === null ? t('cost.noUpstream') : format.duration(upstreamMs)}
      </Cost>
      <Cost label={t('cost.size')}>{format.bytes(bytes)}</Cost>
      <Cost label={t('cost.tokens')}>
        <Tooltip label={t('cost.tokensHint')}>
          <span>≈ {format.count(tokens)}</span>
        </Tooltip>
      </Cost>
      {run.result && <CacheStatus status={run.result.cacheStatus} />}
      {auditId && (
        <Cost label={t('result.record')}>
          <LinkAnchor to="/admin/audit" search={{ record: auditId }} size="sm">
            {auditId.slice(0, 14)}…
          </LinkAnchor>
        </Cost>
      )}
    </dl>
  );
}

interface CostProps {
  readonly label: string;
  readonly children: ReactNode;
}

const Cost = ({ label, children }: CostProps) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

const STATUSES = ['HIT', 'MISS', 'COALESCED', 'STALE', 'BYPASS'] as const;

function CacheStatus({ status }: { readonly status: string }) {
  const { t } = useTranslation('playground');
  const known = STATUSES.find((one) => one === status);
  return (
    <Cost label={t('cost.cache')}>
      <Tooltip label={known ? t(`cost.cacheHints.${known}`) : status}>
        <span>{status}</span>
      </Tooltip>
    </Cost>
  );
}
