import { Anchor, Box, Group, List, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconExternalLink, IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { icon } from '../shared/buttons.tsx';
import { Hint } from '../shared/page.tsx';
import { hostOf, type KeyServer, type ProviderKey, safeUrl } from './provider-keys-query.ts';

/** Beyond this number of servers, they can be filtered. */
const FILTER_FROM = 8;

/** Where to get a key, step by step, and which tools need it. */
export function KeySource({ providerKey }: { readonly providerKey: ProviderKey }) {
  const { t } = useTranslation('providerKeys');
  const { servers } = providerKey;
  const isShared = servers.length > 1;
  const host = hostOf(providerKey);
  const home = safeUrl(homeOf(servers, isShared));
  return (
    <Stack gap="sm">
      <Title order={3}>{t('source.title')}</Title>
      {!isShared && servers[0]?.howToGet && <Text size="sm">{servers[0].howToGet}</Text>}
      <List type="ordered" size="sm" spacing={4}>
        <List.Item>{t('source.steps.signUp')}</List.Item>
        {isShared && <List.Item>{t('source.steps.apply')}</List.Item>}
        <List.Item>{t('source.steps.copy')}</List.Item>
      </List>
      {home && host && (
        <Anchor href={home} target="_blank" rel="noreferrer" size="sm">
          {t('source.open', { host })}
          <IconExternalLink size={15} aria-hidden />
        </Anchor>
      )}
      <Servers servers={servers} isShared={isShared} />
    </Stack>
  );
}

/** Of several datasets, the portal; otherwise, the page that the preset names. */
function homeOf(servers: readonly KeyServer[], isShared: boolean): string | null {
  const url = servers.find((server) => server.url !== null)?.url ?? null;
  return url && isShared ? new URL(url).origin : url;
}

function Servers({ servers, isShared }: { servers: readonly KeyServer[]; isShared: boolean }) {
  const { t } = useTranslation('providerKeys');
  const [filter, setFilter] = useState('');
  const shown = servers.filter((server) => matches(server, filter.trim().toLowerCase()));
  return (
    <>
      <Title order={4} size="h3">
        {t(isShared ? 'source.datasets' : 'source.toolsOf')}
      </Title>
      {servers.length >= FILTER_FROM && (
        <TextInput
          type="search"
          aria-label={t('source.filter')}
          placeholder={t('source.filter')}
          leftSection={icon(IconSearch)}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      {shown.length === 0 && <Hint>{t('source.noMatch')}</Hint>}
      <ScrolledList label={t('source.datasets')}>
        {shown.map((server) => (
          <Server key={server.id} server={server} isShared={isShared} />
        ))}
      </ScrolledList>
    </>
  );
}

/** A list in a frame, which the keyboard can scroll. */
export const ScrolledList = ({ label, children }: { label: string; children: ReactNode }) => (
  <Paper
    component="ul"
    withBorder
    m={0}
    p={0}
    mah="19rem"
    style={{ listStyle: 'none', overflowY: 'auto' }}
    tabIndex={0}
    aria-label={label}
  >
    {children}
  </Paper>
);

const matches = ({ name, tools }: KeyServer, words: string): boolean =>
  [name, ...tools.flatMap((tool) => [tool.name, tool.title ?? ''])].some((text) =>
    text.toLowerCase().includes(words),
  );

/** The page of a provider where a key for a dataset is applied for. */
export function DatasetLink({ url, name }: { readonly url: string; readonly name: string }) {
  const { t } = useTranslation('providerKeys');
  return (
    <Anchor
      href={url}
      target="_blank"
      rel="noreferrer"
      size="sm"
      aria-label={t('source.datasetOf', { name })}
    >
      {t('source.dataset')}
      <IconExternalLink size={14} aria-hidden />
    </Anchor>
  );
}

function Server({ server, isShared }: { readonly server: KeyServer; readonly isShared: boolean }) {
  const url = safeUrl(server.url);
  return (
    <Box component="li" px="sm" py="xs">
      {isShared && (
        <Group justify="space-between" gap="sm" wrap="nowrap">
          <Text size="sm" fw={500}>
            {server.name}
          </Text>
          {url && <DatasetLink url={url} name={server.name} />}
        </Group>
      )}
      {server.tools.map((tool) => (
        <Text key={tool.name} size="xs" c="dimmed">
          <Text span ff="monospace" size="xs">
            {tool.name}
          </Text>
          {tool.title && ` — ${tool.title}`}
        </Text>
      ))}
    </Box>
  );
}
