import { Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/admin-types.ts';
import { CopyButton } from '../shared/copy-button.tsx';
import { Json } from '../shared/json.tsx';
import { RawText } from '../shared/raw-text.tsx';
import { useFormat } from '../shared/use-format.ts';
import { callRequest } from './audit-commands.ts';
import type { AuditRecordData, NamesData } from './audit-queries.ts';
import { causeOf, OutcomeBadge } from './outcome-badge.tsx';
import classes from './record-details.module.css';
import { RunAgain } from './run-again.tsx';

export type RecordWithRepeat = AdminAnswer<'GET /tenants/:tenant/audit/:auditId'>;

interface RecordDetailsProps {
  readonly tenant: string;
  readonly details: RecordWithRepeat;
  readonly names: NamesData | undefined;
  readonly onOpen: (auditId: string) => void;
}

/** Everything that the log holds of a call, and what can be done with it. */
export function RecordDetails({ tenant, details, names, onOpen }: RecordDetailsProps) {
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
          <OutcomeBadge outcome={record.outcome} cause={causeOf(record)} />
        </Group>
        {record.error && <Text className={classes.error}>{record.error.message}</Text>}
        <Group gap="xs" mt="sm">
          <CopyButton value={window.location.href} label={t('record.copyLink')} withLabel />
          <CopyButton
            value={callRequest(window.location.origin, record)}
            label={t('record.copyCurl')}
            withLabel
          />
        </Group>
      </div>
      <Facts record={record} names={names} />
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

interface FactsProps {
  readonly record: AuditRecordData;
  readonly names: NamesData | undefined;
}

function Facts({ record, names }: FactsProps) {
  const { t } = useTranslation('audit');
  const { time, duration, bytes, count } = useFormat();
  const key = names?.keys.find(({ id }) => id === record.apiKeyId);
  const rows: [string, ReactNode][] = [
    [t('fact.time'), time(record.timestamp)],
    [t('fact.key'), key?.name ? `${key.name} (${record.apiKeyId})` : record.apiKeyId],
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
    <dl className={classes.facts}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
}
