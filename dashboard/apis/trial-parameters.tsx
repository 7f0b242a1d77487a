import { Badge, Code, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../shared/data-table.tsx';
import type { ToolText } from './queries.ts';
import { parametersOf } from './trial-arguments.ts';

/** What a model reads of a tool. All of it is a stranger's text. */
export function TrialParameters({ tool }: { readonly tool: ToolText }) {
  const { t } = useTranslation('apis');
  return (
    <Stack gap="xs">
      <Text size="sm">{tool.description}</Text>
      <Code w="fit-content" maw="100%">
        {tool.method.toUpperCase()} {tool.baseUrl}
        {tool.path}
      </Code>
      <DataTable
        label={t('trial.parameters')}
        rows={parametersOf(tool.inputSchema)}
        rowKey={({ name }) => name}
        empty={
          <Text size="sm" c="dimmed">
            {t('trial.noParameters')}
          </Text>
        }
        columns={[
          {
            key: 'name',
            header: t('column.parameter'),
            cell: ({ name, isRequired }) => (
              <>
                <Code>{name}</Code>{' '}
                {isRequired && (
                  <Badge size="xs" variant="default" tt="none">
                    {t('trial.required')}
                  </Badge>
                )}
              </>
            ),
          },
          { key: 'type', header: t('column.type'), cell: ({ type }) => type || '–' },
          {
            key: 'meaning',
            header: t('column.meaning'),
            cell: ({ description }) => description || '–',
          },
        ]}
      />
    </Stack>
  );
}
