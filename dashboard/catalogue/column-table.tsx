import { Code, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../shared/data-table.tsx';
import type { ToolDetails } from './catalogue-queries.ts';

/** The columns of a tool's rows. */
export function ColumnTable({ columns }: Pick<ToolDetails, 'columns'>) {
  const { t } = useTranslation('catalogue');
  return (
    <DataTable
      label={t('tool.columns')}
      rows={columns}
      rowKey={({ name }) => name}
      empty={<Text c="dimmed">{t('tool.noColumns')}</Text>}
      columns={[
        {
          key: 'name',
          header: t('tool.name'),
          width: '16rem',
          cell: ({ name }) => <Code>{name}</Code>,
        },
        { key: 'type', header: t('tool.type'), width: '9rem', cell: ({ type }) => type },
        { key: 'meaning', header: t('tool.meaning'), cell: ({ description }) => description },
      ]}
    />
  );
}
