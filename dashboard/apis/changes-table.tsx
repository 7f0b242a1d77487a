import { Badge, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../shared/data-table.tsx';
import type { Changes } from './queries.ts';

interface ChangedTool {
  readonly tool: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly parts: Changes['changed'][number]['parts'];
}

const COLOURS = { added: 'celadon', removed: 'red', changed: 'yellow' } as const;

/** How the tools of two versions differ. */
export function ChangesTable({ changes }: { readonly changes: Changes }) {
  const { t } = useTranslation('apis');
  return (
    <DataTable
      label={t('refresh.label')}
      rows={rowsOf(changes)}
      rowKey={({ tool, kind }) => `${kind} ${tool}`}
      empty={
        <Text size="sm" role="status">
          {t('refresh.unchanged')}
        </Text>
      }
      columns={[
        { header: t('column.tool'), cell: ({ tool }) => tool },
        {
          header: t('column.difference'),
          cell: ({ kind, parts }) => (
            <>
              <Badge variant="light" tt="none" color={COLOURS[kind]}>
                {t(`refresh.${kind}`)}
              </Badge>{' '}
              {parts.map((part) => t(`refresh.part.${part}`)).join(', ')}
            </>
          ),
        },
      ]}
    />
  );
}

const rowsOf = ({ added, removed, changed }: Changes): ChangedTool[] => [
  ...removed.map((tool) => ({ tool, kind: 'removed', parts: [] }) as const),
  ...changed.map(({ tool, parts }) => ({ tool, kind: 'changed', parts }) as const),
  ...added.map((tool) => ({ tool, kind: 'added', parts: [] }) as const),
];
