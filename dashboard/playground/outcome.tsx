import { Alert, Anchor, Group, List, Stack, Text, Tooltip } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../shared/buttons.tsx';
import { RawText } from '../shared/code-block.tsx';
import { Facts } from '../shared/facts.tsx';
import { SampleBadge } from '../shared/outcome.tsx';
import { ErrorMessage } from '../shared/page.tsx';
import { useFormat } from '../shared/use-format.ts';
import { ResultViews } from './result-views.tsx';
import {
  codeOf,
  type Provenance,
  type RpcError,
  type Run,
  type SplitIssues,
  type ToolDetails,
} from './run-tool.ts';

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
    <Facts
      look="line"
      label={t('cost.label')}
      facts={{
        [t('cost.duration')]: format.duration(durationMs),
        [t('cost.upstream')]:
          upstreamMs === null ? t('cost.noUpstream') : format.duration(upstreamMs),
        [t('cost.size')]: format.bytes(bytes),
        [t('cost.tokens')]: (
          <Tooltip label={t('cost.tokensHint')}>
            <span>≈ {format.count(tokens)}</span>
          </Tooltip>
        ),
        [t('cost.cache')]: run.result && <CacheStatus status={run.result.cacheStatus} />,
        [t('result.record')]: auditId && (
          <LinkAnchor to="/admin/audit" search={{ record: auditId }} size="sm">
            {auditId.slice(0, 14)}…
          </LinkAnchor>
        ),
      }}
    />
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
    <Facts
      look="line"
      label={t('source.label')}
      facts={{
        [t('source.publisher')]: (
          <>
            {publisher !== null && `${publisher} · `}
            <Outside href={docUrl}>{dataset}</Outside>
          </>
        ),
        [t('source.licence')]: (
          <Outside href={licenceUrl}>
            {licence === 'unknown' ? t('source.unknown') : licence}
          </Outside>
        ),
        [t('source.asOf')]: provenance.asOf === null ? t('source.unknown') : asOf(provenance.asOf),
      }}
    />
  );
}

/** A link to a page of the provider, if it has one. */
const Outside = ({ href, children }: { readonly href: string | null; children: string }) =>
  href === null ? (
    children
  ) : (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" size="sm" underline="always">
      {children}
    </Anchor>
  );

const STATUSES = ['HIT', 'MISS', 'COALESCED', 'STALE', 'BYPASS'] as const;

function CacheStatus({ status }: { readonly status: string }) {
  const { t } = useTranslation('playground');
  const known = STATUSES.find((one) => one === status);
  return (
    <Tooltip label={known ? t(`cost.cacheHints.${known}`) : status}>
      <span>{status}</span>
    </Tooltip>
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
          <List size="sm" mt="xs">
            {others.map(({ path, message }) => (
              <List.Item key={path}>
                {path && <code>{path}</code>} {message}
              </List.Item>
            ))}
          </List>
        )}
      </Alert>
      <RawText text={text} label={t('result.raw')} />
    </>
  );
}
