import { Alert, Button, Stack, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/admin-types.ts';
import { Json } from '../shared/json.tsx';
import { RawText } from '../shared/raw-text.tsx';
import { useFormat } from '../shared/use-format.ts';
import type { AuditRecordData } from './audit-queries.ts';
import { causeOf, OutcomeBadge } from './outcome-badge.tsx';

interface RunResultProps {
  readonly before: AuditRecordData;
  readonly result: AdminAnswer<'POST /tenants/:tenant/audit/:auditId/run'>;
  readonly onOpen: (auditId: string) => void;
}

/** Then and now, side by side, and what the tool returned today. */
export function RunResult({ before, result, onOpen }: RunResultProps) {
  const { t } = useTranslation('audit');
  const { record, data, isCut } = result;
  return (
    <Stack gap="sm" aria-live="polite">
      <Comparison before={before} now={record} />
      <div>
        <Button size="compact-sm" variant="subtle" onClick={() => onOpen(record.auditId)}>
          {t('run.openRecord')}
        </Button>
      </div>
      {record.error && <Alert color="red">{record.error.message}</Alert>}
      {isCut && <Alert color="yellow">{t('run.cut')}</Alert>}
      {data !== null && <Response text={data} isCut={isCut} />}
    </Stack>
  );
}

function Response({ text, isCut }: { readonly text: string; readonly isCut: boolean }) {
  const { t } = useTranslation('audit');
  if (isCut) return <RawText text={text} label={t('run.response')} />;
  return <Json value={parse(text)} label={t('run.response')} />;
}

/** The gateway has checked that it is JSON. */
const parse = (text: string): unknown => JSON.parse(text);

interface ComparisonProps {
  readonly before: AuditRecordData;
  readonly now: AuditRecordData;
}

function Comparison({ before, now }: ComparisonProps) {
  const { t } = useTranslation('audit');
  const { time, duration, bytes } = useFormat();
  const rows: [string, (record: AuditRecordData) => ReactNode][] = [
    [t('fact.time'), ({ timestamp }) => time(timestamp)],
    [
      t('column.outcome'),
      (record) => <OutcomeBadge outcome={record.outcome} cause={causeOf(record)} />,
    ],
    [t('fact.upstreamStatus'), ({ upstream }) => upstream.status ?? '–'],
    [t('fact.cache'), ({ cacheStatus }) => cacheStatus ?? '–'],
    [t('fact.duration'), ({ durationMs }) => duration(durationMs)],
    [t('fact.size'), ({ responseBytes }) => bytes(responseBytes)],
  ];
  return (
    <Table withTableBorder aria-label={t('run.comparison')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th />
          <Table.Th scope="col">{t('run.before')}</Table.Th>
          <Table.Th scope="col">{t('run.now')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(([name, cell]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">{name}</Table.Th>
            <Table.Td>{cell(before)}</Table.Td>
            <Table.Td>{cell(now)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
