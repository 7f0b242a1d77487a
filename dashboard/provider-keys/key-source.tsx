import { Anchor, List, Stack, Text, Title } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { hostOf, type KeyServer, type ProviderKey, safeUrl } from './provider-keys-query.ts';

/** Where to get a key, step by step. */
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
    </Stack>
  );
}

/** Of several datasets, the portal; otherwise, the page that the preset names. */
function homeOf(servers: readonly KeyServer[], isShared: boolean): string | null {
  const url = servers.find((server) => server.url !== null)?.url ?? null;
  return url && isShared ? new URL(url).origin : url;
}
