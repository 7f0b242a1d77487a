import { Paper, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { homeQuery } from '../api/home-query.ts';
import { CodeBlock } from '../shared/code-block.tsx';
import { Hint } from '../shared/page.tsx';
import type { Arguments } from './form-values.ts';
import { curlSnippet, mcpSnippet, pythonSnippet, typescriptSnippet } from './snippets.ts';

const LANGUAGES = {
  curl: curlSnippet,
  typescript: typescriptSnippet,
  python: pythonSnippet,
  mcp: mcpSnippet,
} as const;

/** The call of the playground, for programs. */
export function SnippetPanel({ tool, args }: { readonly tool: string; readonly args: Arguments }) {
  const { t } = useTranslation('playground');
  const gatewayUrl = useQuery(homeQuery).data?.gatewayUrl ?? window.location.origin;
  const call = { gatewayUrl, tool, arguments: args };
  const languages = Object.entries(LANGUAGES) as [keyof typeof LANGUAGES, typeof curlSnippet][];
  return (
    <Paper withBorder p="md" component="section">
      <Text component="h3" fw={600} size="sm" mb="xs">
        {t('code.title')}
      </Text>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List mb="sm">
          {languages.map(([name]) => (
            <Tabs.Tab key={name} value={name}>
              {t(`code.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {languages.map(([name, write]) => (
          <Tabs.Panel key={name} value={name}>
            <CodeBlock code={write(call)} label={t(`code.${name}`)} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <Hint size="xs" mt="xs">
        {t('code.key')}
      </Hint>
    </Paper>
  );
}
