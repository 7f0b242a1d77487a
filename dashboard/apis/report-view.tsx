import {
  Badge,
  Code,
  Paper,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  Title,
  Tooltip,
} from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Column, DataTable } from '../shared/data-table.tsx';
import { Hint } from '../shared/page.tsx';
import { useFormat } from '../shared/use-format.ts';
import type { Operation, Report } from './queries.ts';
import { RowPhrase } from './row-facts.tsx';

/** Operations that are rendered at once. */
const MAX_ROWS = 200;

/** What became of each operation of a description. All of its texts are a stranger's. */
export function ReportView({ report }: { readonly report: Report }) {
  const { t } = useTranslation('apis');
  const { count } = useFormat();
  const refused = report.operations.filter(({ outcome }) => outcome === 'refused').length;
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Figure
          label={t('report.score')}
          value={count(report.score)}
          hint={t('report.scoreHint')}
        />
        <Figure label={t('column.tools')} value={count(report.tools)} />
        <Figure label={t('report.refused')} value={count(refused)} />
        <Figure
          label={t('report.tokens')}
          value={count(report.tokens)}
          hint={t('report.tokensHint')}
        />
      </SimpleGrid>
      <Operations operations={report.operations} />
      {report.warnings.length > 0 && <Warnings warnings={report.warnings} />}
    </Stack>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
}

function Figure({ label, value, hint }: FigureProps) {
  const figure = (
    <Paper withBorder px="sm" py="xs">
      <Hint size="xs">{label}</Hint>
      <Text fz="1.4rem" fw={650} lh={1.2}>
        {value}
      </Text>
    </Paper>
  );
  return hint ? (
    <Tooltip label={hint} maw={280}>
      {figure}
    </Tooltip>
  ) : (
    figure
  );
}

type Shown = 'all' | 'refused' | 'changed';

function Operations({ operations }: { readonly operations: readonly Operation[] }) {
  const { t } = useTranslation('apis');
  const { count } = useFormat();
  const of = (shown: Shown) =>
    shown === 'all' ? operations : operations.filter(({ outcome }) => outcome === shown);
  const [shown, setShown] = useState<Shown>(of('refused').length > 0 ? 'refused' : 'all');
  const rows = of(shown);
  const columns = useColumns(rows);
  return (
    <Stack gap="sm">
      <Title order={3}>{t('filters.title')}</Title>
      <SegmentedControl
        aria-label={t('column.outcome')}
        size="xs"
        w="fit-content"
        value={shown}
        onChange={(value) => setShown(value as Shown)}
        data={[
          { value: 'all', label: t('report.all', { amount: count(operations.length) }) },
          {
            value: 'refused',
            label: t('report.onlyRefused', { amount: count(of('refused').length) }),
          },
          {
            value: 'changed',
            label: t('report.onlyChanged', { amount: count(of('changed').length) }),
          },
        ]}
      />
      <DataTable
        label={t('filters.title')}
        columns={columns}
        rows={rows.slice(0, MAX_ROWS)}
        rowKey={({ method, path }) => `${method} ${path}`}
        empty={<Hint>{t('report.none')}</Hint>}
      />
      {rows.length > MAX_ROWS && (
        <Hint>{t('report.more', { amount: count(rows.length - MAX_ROWS) })}</Hint>
      )}
    </Stack>
  );
}

const COLOURS = { accepted: 'celadon', changed: 'yellow', refused: 'red' } as const;

function useColumns(operations: readonly Operation[]): Column<Operation>[] {
  const { t } = useTranslation('apis');
  return [
    {
      header: t('column.operation'),
      cell: ({ method, path }) => (
        <Text size="sm" ff="monospace">
          {method.toUpperCase()} {path}
        </Text>
      ),
    },
    { header: t('column.tool'), cell: ({ tool }) => tool ?? '–' },
    {
      header: t('column.outcome'),
      cell: ({ outcome }) => (
        <Badge variant="light" tt="none" color={COLOURS[outcome]}>
          {t(`report.${outcome}`)}
        </Badge>
      ),
    },
    ...(operations.some(({ rows }) => rows)
      ? [
          {
            header: t('column.rows'),
            cell: ({ rows }: Operation) => rows && <RowPhrase rows={rows} />,
          },
        ]
      : []),
    ...(operations.some(({ reason }) => reason) ? [reasonColumn(t('column.reason'))] : []),
  ];
}

const reasonColumn = (header: string): Column<Operation> => ({
  header,
  cell: ({ reason, pointer }) =>
    reason && (
      <div>
        <Text size="sm">{reason}</Text>
        <Code fz="xs">{pointer}</Code>
      </div>
    ),
});

function Warnings({ warnings }: Pick<Report, 'warnings'>) {
  const { t } = useTranslation('apis');
  const { count } = useFormat();
  return (
    <Stack gap="sm">
      <Title order={3}>{t('report.warnings')}</Title>
      <DataTable
        label={t('report.warnings')}
        rows={warnings}
        rowKey={({ pointer, message }) => `${pointer} ${message}`}
        empty={null}
        columns={[
          { header: t('column.warning'), cell: ({ message }) => message },
          {
            header: t('column.place'),
            cell: ({ pointer }) => pointer && <Code fz="xs">{pointer}</Code>,
          },
          { header: t('column.count'), align: 'end', cell: (warning) => count(warning.count) },
        ]}
      />
    </Stack>
  );
}
