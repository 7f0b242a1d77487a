import { Alert, Anchor, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../shared/buttons.tsx';
import { RawText } from '../shared/code-block.tsx';
import { ErrorMessage } from '../shared/page.tsx';
import { SampleBadge } from '../shared/sample-badge.tsx';
import { useFormat } from '../shared/use-format.ts';
import { ResultViews } from './result-views.tsx';
import classes from './run-panel.module.css';
import { codeOf, type Provenance, type RpcError, type Run, type ToolDetails } from './run-tool.ts';
import type { SplitIssues } from './split-issues.ts';

interface OutcomeProps {
  readonly run: Run;
  readonly tool: ToolDetails;
  readonly issues: SplitIssues;
}

/** What a run came to: a result or an error, with its cost. */
export const Outcome = ({ run, tool, issues }: OutcomeProps) => (
  <Stack gap="sm">
    <Group gap="xs">
      <CostList run={run} />
      {run.result?.provenance.sample && <SampleBadge />}
    </Group>
    {run.result && <Source provenance={run.result.provenance} dataset={tool.server.name} />}
    {run.error ? (
      <CallError error={run.error} text={run.text} issues={issues} />
    ) : (
      <ResultViews run={run} tool={tool} />
    )}
  </Stack>
);

/** What a call cost: time, bytes, tokens and cache, with a link to its audit record. */
function CostList({ run }: { readonly run: Run }) {
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

interface SourceProps {
  readonly provenance: Provenance;
  /** In the language of the page. */
  readonly dataset: string;
}

/** Who publishes the data, on which terms, and the time to which they refer. */
function Source({ provenance, dataset }: SourceProps) {
  const { t } = useTranslation('playground');
  const { asOf } = useFormat();
  const { publisher, docUrl, licence, licenceUrl } = provenance;
  return (
    <dl className={classes.source} aria-label={t('source.label')}>
      <Cost label={t('source.publisher')}>
        {publisher !== null && `${publisher} · `}
        <Outside href={docUrl}>{dataset}</Outside>
      </Cost>
      <Cost label={t('source.licence')}>
        <Outside href={licenceUrl}>
          {licence === 'unknown' ? t('source.unknownLicence') : licence}
        </Outside>
      </Cost>
      <Cost label={t('source.asOf')}>
        {provenance.asOf === null ? t('source.unknownTime') : asOf(provenance.asOf)}
      </Cost>
    </dl>
  );
}

/** A link to a page of the provider, if it has one. */
const Outside = ({ href, children }: { readonly href: string | null; children: string }) =>
  href === null ? (
    children
  ) : (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" size="sm">
      {children}
    </Anchor>
  );

const Cost = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
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

interface CallErrorProps {
  readonly error: RpcError;
  /** The JSON-RPC response. */
  readonly text: string;
  readonly issues: SplitIssues;
}

/** A call that failed. What is wrong with an argument stands at its field, so that only the rest is said here. */
function CallError({ error, text, issues: { byName, others } }: CallErrorProps) {
  const { t } = useTranslation('playground');
  const marked = Object.keys(byName).length;
  return (
    <>
      <Alert
        color="red"
        role="alert"
        icon={<IconAlertTriangle aria-hidden />}
        title={t('result.failed')}
      >
        <Text size="sm" component="div">
          {marked > 0 ? (
            t('result.marked', { count: marked })
          ) : (
            <ErrorMessage code={codeOf(error)} message={error.message} />
          )}
        </Text>
        {marked > 0 && others.length > 0 && (
          <ul className={classes.issues}>
            {others.map(({ path, message }) => (
              <li key={path}>
                {path && <code>{path}</code>} {message}
              </li>
            ))}
          </ul>
        )}
      </Alert>
      <RawText text={text} label={t('result.raw')} />
    </>
  );
}
