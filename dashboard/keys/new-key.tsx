import { NativeSelect, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/call-admin.ts';
import { CodeBlock } from '../shared/code-block.tsx';
import { ErrorAlert, Hint } from '../shared/page.tsx';
import { SecretOnce } from '../shared/secret-once.tsx';
import { useLanguage } from '../texts/language.ts';
import { connectQuery } from './key-queries.ts';

/** The text of a key, once, with what to do next. */
export function NewKey({ text, onDone }: { readonly text: string; readonly onDone: () => void }) {
  const { t } = useTranslation('keys');
  return (
    <SecretOnce secret={text} kind="key" label={t('page.title')} onSaved={onDone}>
      <Stack gap="xs">
        <Text fw={600} size="sm" component="h3">
          {t('created.connect')}
        </Text>
        <Snippets keyText={text} />
      </Stack>
    </SecretOnce>
  );
}

interface SnippetsProps {
  readonly keyText: string;
}

type Connect = AdminAnswer<'GET /connect'>;

/** Clients with a tab of their own; the others are in a list. */
const TABS = 6;

/** How every client is set up with a key, ready to copy. */
function Snippets({ keyText }: SnippetsProps) {
  const connect = useQuery(connectQuery(useLanguage()));
  if (connect.error) return <ErrorAlert error={connect.error} onRetry={connect.refetch} />;
  if (!connect.data) return <Skeleton height={160} />;
  return <ClientTabs connect={connect.data} keyText={keyText} />;
}

function ClientTabs({ connect, keyText }: SnippetsProps & { readonly connect: Connect }) {
  const { t } = useTranslation('keys');
  const [tab, setTab] = useState('curl');
  const [first, others] = [connect.clients.slice(0, TABS), connect.clients.slice(TABS)];
  const [other, setOther] = useState(others[0]?.name);
  const shown = others.find(({ name }) => name === other);
  return (
    <Tabs value={tab} onChange={(value) => setTab(value ?? 'curl')} keepMounted={false}>
      <Tabs.List mb="sm">
        {first.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name}>
            {shortTitle(title)}
          </Tabs.Tab>
        ))}
        <Tabs.Tab value="others">{t('snippets.others')}</Tabs.Tab>
      </Tabs.List>
      {first.map((client) => (
        <Tabs.Panel key={client.name} value={client.name}>
          <Snippet client={client} place={connect.keyPlace} keyText={keyText} />
        </Tabs.Panel>
      ))}
      <Tabs.Panel value="others">
        <Stack gap="sm">
          <NativeSelect
            label={t('snippets.client')}
            value={other}
            onChange={({ currentTarget }) => setOther(currentTarget.value as typeof other)}
            data={others.map(({ name, title }) => ({ value: name, label: title }))}
          />
          {shown && <Snippet client={shown} place={connect.keyPlace} keyText={keyText} />}
        </Stack>
      </Tabs.Panel>
    </Tabs>
  );
}

interface SnippetProps extends SnippetsProps {
  readonly client: Connect['clients'][number];
  readonly place: string;
}

const Snippet = ({ client, place, keyText }: SnippetProps) => (
  <Stack gap="xs">
    <Hint>{client.instructions}</Hint>
    <CodeBlock label={client.title} code={client.snippet.replaceAll(place, () => keyText)} />
  </Stack>
);

/** Without the version in parentheses. */
const shortTitle = (title: string): string => title.replace(/ \(.*/, '');
