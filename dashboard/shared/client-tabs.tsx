import { NativeSelect, Skeleton, type SkeletonProps, Stack, Tabs } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AdminAnswer, ask } from '../api/call-admin.ts';
import { type Language, useLanguage } from '../texts/language.ts';
import { CodeBlock } from './code-block.tsx';
import { ErrorAlert, Hint } from './page.tsx';

type Connect = AdminAnswer<'GET /connect'>;
type Client = Connect['clients'][number];

const connectQuery = (lang: Language) =>
  queryOptions({
    queryKey: ['connect', 'clients', lang],
    queryFn: ask('GET /connect', { origin: window.location.origin, lang }),
    staleTime: Number.POSITIVE_INFINITY,
  });

interface ConnectWaysProps {
  /** While it is not known, so that what is below stays where it is. */
  readonly height?: SkeletonProps['height'];
  readonly children: (connect: Connect) => ReactNode;
}

/** How this gateway is connected to, once that is known. */
export function ConnectWays({ height = 160, children }: ConnectWaysProps) {
  const connect = useQuery(connectQuery(useLanguage()));
  if (connect.error) return <ErrorAlert error={connect.error} onRetry={connect.refetch} />;
  return connect.data ? children(connect.data) : <Skeleton height={height} />;
}

/** Clients with a tab of their own; the others are in a list. */
const TABS = 6;

interface ClientTabsProps {
  readonly clients: readonly Client[];
  readonly children: (client: Client) => ReactNode;
}

/** One client at a time. */
export function ClientTabs({ clients, children }: ClientTabsProps) {
  const { t } = useTranslation('shared');
  const [first, others] = [clients.slice(0, TABS), clients.slice(TABS)];
  const [tab, setTab] = useState(first[0]?.name);
  const [other, setOther] = useState(others[0]?.name);
  const shown = others.find(({ name }) => name === other);
  return (
    <Tabs value={tab ?? null} onChange={(value) => value && setTab(value)} keepMounted={false}>
      <Tabs.List mb="sm">
        {first.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name}>
            {shortTitle(title)}
          </Tabs.Tab>
        ))}
        <Tabs.Tab value="others">{t('clients.others')}</Tabs.Tab>
      </Tabs.List>
      {first.map((client) => (
        <Tabs.Panel key={client.name} value={client.name}>
          {children(client)}
        </Tabs.Panel>
      ))}
      <Tabs.Panel value="others">
        <Stack gap="sm">
          <NativeSelect
            label={t('clients.client')}
            value={other}
            onChange={({ currentTarget }) => setOther(currentTarget.value)}
            data={others.map(({ name, title }) => ({ value: name, label: title }))}
          />
          {shown && children(shown)}
        </Stack>
      </Tabs.Panel>
    </Tabs>
  );
}

/** Without the version in parentheses. */
const shortTitle = (title: string): string => title.replace(/ \(.*/, '');

interface WayProps {
  readonly title: string;
  readonly way: NonNullable<Client['withKey']>;
  /** In place of what the snippet says of the key. */
  readonly fill?: (snippet: string) => string;
}

/** One way to connect a client: what to do, and what to copy. */
export const Way = ({ title, way, fill = (snippet) => snippet }: WayProps) => (
  <Stack gap="xs">
    <Hint>{way.instructions}</Hint>
    <CodeBlock label={title} code={fill(way.snippet)} />
  </Stack>
);
