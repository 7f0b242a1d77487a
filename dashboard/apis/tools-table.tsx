import { ActionIcon, Anchor, Badge, Code, Group, Text } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../shared/data-table.tsx';
import type { ApiPartProps } from './api-tabs.tsx';
import { EditDescription } from './edit-description.tsx';
import type { Api } from './queries.ts';

type ApiTool = Api['tools'][number];

/** The tools of an API, with links to their pages in the catalogue. */
export function ToolsTable({ tenant, api, canChange }: ApiPartProps & { canChange: boolean }) {
  const { t } = useTranslation('apis');
  const [edited, setEdited] = useState<ApiTool | null>(null);
  return (
    <>
      <DataTable
        label={t('tools.label')}
        rows={api.tools}
        rowKey={({ id }) => id}
        empty={<Text size="sm">{t('tools.none')}</Text>}
        columns={[
          { key: 'tool', header: t('column.tool'), cell: (tool) => <ToolName tool={tool} /> },
          {
            key: 'operation',
            header: t('column.operation'),
            cell: ({ method, path }) =>
              method === null ? (
                '–'
              ) : (
                <Code>
                  {method.toUpperCase()} {path}
                </Code>
              ),
          },
          {
            key: 'text',
            header: t('tools.text'),
            cell: ({ description, ownText }) => (
              <Text size="sm" lineClamp={3}>
                {ownText !== null && (
                  <Badge size="xs" variant="light" tt="none" mr={6}>
                    {t('tools.own')}
                  </Badge>
                )}
                {description ?? ownText ?? '–'}
              </Text>
            ),
          },
          ...(canChange
            ? [
                {
                  key: 'edit',
                  header: t('column.action'),
                  isActions: true,
                  cell: (tool: ApiTool) => (
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('tools.edit', { tool: tool.name })}
                      onClick={() => setEdited(tool)}
                    >
                      <IconPencil size={16} aria-hidden />
                    </ActionIcon>
                  ),
                } as const,
              ]
            : []),
        ]}
      />
      <EditDescription tenant={tenant} api={api} tool={edited} onClose={() => setEdited(null)} />
    </>
  );
}

function ToolName({ tool: { name, description } }: { readonly tool: ApiTool }) {
  const { t } = useTranslation('apis');
  if (description === null) {
    return (
      <Group gap={6}>
        {name}
        <Text size="xs" c="dimmed">
          {t('tools.notLive')}
        </Text>
      </Group>
    );
  }
  return (
    <Anchor
      size="sm"
      fw={550}
      renderRoot={(props) => (
        <Link to="/admin/catalogue/$tool" params={{ tool: name }} {...props} />
      )}
    >
      {name}
    </Anchor>
  );
}
