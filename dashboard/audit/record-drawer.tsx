import { Drawer, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconTrashX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { CopyButton } from '../shared/buttons.tsx';
import { RawText } from '../shared/code-block.tsx';
import { Facts } from '../shared/facts.tsx';
import { Repair } from '../shared/failing.tsx';
import { Json } from '../shared/json.tsx';
import { colourOf, originOf } from '../shared/outcome.tsx';
import { EmptyState, ErrorAlert, ErrorMessage } from '../shared/page.tsx';
import { ExactTime } from '../shared/relative-time.tsx';
import { SampleBadge } from '../shared/sample-badge.tsx';
import { useFormat } from '../shared/use-format.ts';
import { callRequest } from './audit-commands.ts';
import {
  type AuditRecordData,
  type NamesData,
  type RecordWithRepeat,
  useCallerNames,
  useRecord,
} from './audit-queries.ts';
import { CallOutcome, endingOf } from './call-columns.tsx';
import classes from './record-drawer.module.css';
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
  const { data, error, refetch } = useRecord(tenant, auditId);
  if (error instanceof AdminError && error.status === 404) {
    return (
      <EmptyState icon={IconTrashX} title={t('record.deleted')} text={t('record.deletedText')} />
    );
  }
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  if (data) return <RecordDetails tenant={tenant} details={data} names={names} onOpen={onOpen} />;
  return (
    <Stack aria-busy="true">
      <Skeleton height={28} width="60%" />
      <Skeleton height={220} />
      <Skeleton height={120} />
    </Stack>
  );
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
          <Title order={2} className={classes.tool}>
            <Link to="/admin/catalogue/$tool" params={{ tool: record.tool }}>
              {record.tool}
            </Link>
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
            value={callRequest(window.location.origin, record)}
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
        <summary className={classes.summary}>{t('record.raw')}</summary>
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
      className={classes.error}
      style={{
        borderInlineStartColor: `var(${colourOf(originOf(outcome, error?.code))})`,
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
  const rows: [string, ReactNode][] = [
    [t('fact.time'), <ExactTime key="time" at={record.timestamp} />],
    [t('fact.key'), caller ? `${caller} (${record.apiKeyId})` : record.apiKeyId],
    [t('fact.client'), record.clientName],
    [t('fact.clientIp'), record.clientIp],
    [t('fact.dialect'), record.dialect],
    [t('fact.upstream'), record.upstream.url && `${record.upstream.method} ${record.upstream.url}`],
    [t('fact.upstreamStatus'), record.upstream.status],
    [t('fact.cache'), record.cacheStatus],
    [
      t('fact.publicData'),
      record.publicData && `${record.publicData.code} ${record.publicData.message}`,
    ],
    [t('fact.duration'), duration(record.durationMs)],
    [t('fact.upstreamMs'), record.upstreamMs === null ? null : duration(record.upstreamMs)],
    [
      t('fact.size'),
      t('fact.sizeValue', {
        bytes: bytes(record.responseBytes),
        tokens: count(record.responseTokens),
      }),
    ],
    [t('fact.requestId'), record.requestId],
    [t('fact.auditId'), record.auditId],
  ];
  return (
    <Facts className={classes.facts} facts={rows.map(([name, value]) => [name, value ?? '–'])} />
  );
}
