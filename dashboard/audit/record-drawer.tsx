import { Drawer, Group, Stack, Text, Title } from '@mantine/core';
import { IconTrashX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isStatus } from '../api/admin-error.ts';
import { CopyButton, LinkAnchor } from '../shared/buttons.tsx';
import { RawText } from '../shared/code-block.tsx';
import { curlCommand, toolCall } from '../shared/curl.ts';
import { Facts } from '../shared/facts.tsx';
import { Json } from '../shared/json.tsx';
import { CallOutcome, colourOf, endingOf, originOf, SampleBadge } from '../shared/outcome.tsx';
import { EmptyState, ErrorAlert, ErrorMessage, Hint } from '../shared/page.tsx';
import { Repair } from '../shared/problems.tsx';
import { ExactTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import { Waiting } from '../shared/waiting.tsx';
import {
  type AuditRecordData,
  type NamesData,
  type RecordWithRepeat,
  recordQuery,
  useCallerNames,
} from './audit-queries.ts';
import { RunAgain } from './run-again.tsx';

interface RecordDrawerProps {
  readonly tenant: string;
  /** Undefined while it is closed. */
  readonly auditId: string | undefined;
  readonly names: NamesData | undefined;
  readonly onClose: () => void;
  readonly onOpen: (auditId: string) => void;
}

/** The details of one record, beside the list. It has an address of its own. */
export function RecordDrawer({ auditId, onClose, ...props }: RecordDrawerProps) {
  const { t } = useTranslation('audit');
  return (
    <Drawer
      opened={auditId !== undefined}
      onClose={onClose}
      position="right"
      size="xl"
      title={t('record.title')}
      closeButtonProps={{ 'aria-label': t('record.close') }}
    >
      {auditId !== undefined && <Content key={auditId} auditId={auditId} {...props} />}
    </Drawer>
  );
}

interface ContentProps extends Omit<RecordDrawerProps, 'onClose' | 'auditId'> {
  readonly auditId: string;
}

function Content({ tenant, auditId, names, onOpen }: ContentProps) {
  const { t } = useTranslation('audit');
  const { data, error, refetch } = useQuery(recordQuery(tenant, auditId));
  if (isStatus(error, 404)) {
    return (
      <EmptyState icon={IconTrashX} title={t('record.deleted')} text={t('record.deletedText')} />
    );
  }
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  if (data) return <RecordDetails tenant={tenant} details={data} names={names} onOpen={onOpen} />;
  return <Waiting />;
}

interface RecordDetailsProps {
  readonly tenant: string;
  readonly details: RecordWithRepeat;
  readonly names: NamesData | undefined;
  readonly onOpen: (auditId: string) => void;
}

/** Everything that the log holds of a call, and what can be done with it. */
function RecordDetails({ tenant, details, names, onOpen }: RecordDetailsProps) {
  const { t } = useTranslation('audit');
  const { record } = details;
  return (
    <Stack gap="lg">
      <div>
        <Group justify="space-between" gap="xs">
          <Title order={2} ff="monospace">
            <LinkAnchor
              to="/admin/catalogue/$tool"
              params={{ tool: record.tool }}
              inherit
              c="inherit"
              underline="always"
            >
              {record.tool}
            </LinkAnchor>
          </Title>
          <Group gap="xs">
            {record.sample && <SampleBadge />}
            <CallOutcome ending={endingOf(record)} />
          </Group>
        </Group>
        <Trouble record={record} />
        <Group gap="xs" mt="sm">
          <CopyButton value={window.location.href} label={t('record.copyLink')} withLabel />
          <CopyButton
            value={curlCommand(window.location.origin, toolCall(record.tool, record.arguments))}
            label={t('record.copyCurl')}
            withLabel
          />
        </Group>
      </div>
      <RecordFacts record={record} names={names} />
      <section>
        <Title order={3} mb="xs">
          {t('record.arguments')}
        </Title>
        <Json value={record.arguments} label={t('record.arguments')} />
      </section>
      <RunAgain tenant={tenant} details={details} onOpen={onOpen} />
      <details>
        <Hint component="summary">{t('record.raw')}</Hint>
        <RawText text={JSON.stringify(record, null, 2)} label={t('record.raw')} />
      </details>
    </Stack>
  );
}

/** What went wrong, and what repairs it if the caller cannot. */
function Trouble({ record }: { readonly record: AuditRecordData }) {
  const { outcome, error, cause, toolId } = record;
  const isOurs = cause !== null && cause !== 'arguments' && cause !== 'no_data';
  const canRepair = outcome !== 'ok' && isOurs && error?.code !== 'rate_limited';
  if (!error && !canRepair) return null;
  return (
    <Text
      component="div"
      size="sm"
      mt="xs"
      px="sm"
      py="xs"
      bg="var(--page-sunken)"
      style={{
        borderInlineStart: `3px solid var(${colourOf(originOf(endingOf(record)))})`,
        whiteSpace: 'pre-wrap',
      }}
    >
      {error && <ErrorMessage {...error} />}{' '}
      {canRepair && cause !== 'quota' && <Repair toolId={toolId} cause={cause} />}
    </Text>
  );
}

function RecordFacts({ record, names }: { record: AuditRecordData; names: NamesData | undefined }) {
  const { t } = useTranslation('audit');
  const { duration, bytes, count } = useFormat();
  const caller = useCallerNames(names).get(record.apiKeyId);
  const facts: Readonly<Record<string, ReactNode>> = {
    [t('fact.time')]: <ExactTime at={record.timestamp} />,
    [t('fact.key')]: caller ? `${caller} (${record.apiKeyId})` : record.apiKeyId,
    [t('filter.client')]: record.clientName,
    [t('fact.clientIp')]: record.clientIp,
    [t('fact.dialect')]: record.dialect,
    [t('fact.upstream')]: record.upstream.url && `${record.upstream.method} ${record.upstream.url}`,
    [t('filter.upstreamStatus')]: record.upstream.status,
    [t('filter.cacheStatus')]: record.cacheStatus,
    [t('fact.publicData')]:
      record.publicData && `${record.publicData.code} ${record.publicData.message}`,
    [t('fact.duration')]: duration(record.durationMs),
    [t('fact.upstreamMs')]: record.upstreamMs === null ? null : duration(record.upstreamMs),
    [t('fact.size')]: t('fact.sizeValue', {
      bytes: bytes(record.responseBytes),
      tokens: count(record.responseTokens),
    }),
    [t('filter.requestId')]: record.requestId,
    [t('fact.auditId')]: record.auditId,
    [t('fact.partOf')]: record.partOf,
  };
  return <Facts look="rows" facts={facts} />;
}
