import { Alert, Stack, Text } from '@mantine/core';
import { IconKeyOff, IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../shared/code-block.tsx';
import { EmptyState, ErrorAlert, Hint, PageHeader } from '../shared/page.tsx';
import { Waiting } from '../shared/waiting.tsx';
import { KeyList } from './key-list.tsx';
import { KeyPanel } from './key-panel.tsx';
import { KeyBadge } from './key-state.tsx';
import {
  hostOf,
  isInUse,
  type ProviderKey,
  providerKeysQuery,
  toolCountOf,
} from './provider-keys-query.ts';

/** Where operators set the secrets of presets. */
export function ProviderKeysPage() {
  const { t } = useTranslation('providerKeys');
  const { data, error, refetch } = useQuery(providerKeysQuery());
  const row = useRow();
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          data &&
          data.keys.length > 0 && (
            <Hint>
              {t('count', { set: data.keys.filter(isInUse).length, all: data.keys.length })}
            </Hint>
          )
        }
      />
      <Stack>
        {error && <ErrorAlert error={error} onRetry={refetch} />}
        {data && !data.canStore && <CannotStore />}
        {!data && !error && <Waiting />}
        {data &&
          (data.keys.length === 0 ? (
            <EmptyState icon={IconKeyOff} title={t('empty.title')} text={t('empty.text')} />
          ) : (
            <KeyList
              keys={data.keys.toSorted(byToolCount)}
              row={row}
              panel={(key) => <KeyPanel providerKey={key} canStore={data.canStore} />}
            />
          ))}
      </Stack>
    </>
  );
}

const COMMAND = 'openssl rand -base64 32';

function CannotStore() {
  const { t } = useTranslation('providerKeys');
  return (
    <Alert color="yellow" icon={<IconLock aria-hidden />} title={t('cannotStore.title')}>
      <Stack gap="sm">
        <Text size="sm" maw="46rem">
          {t('cannotStore.text')}
        </Text>
        <CodeBlock code={COMMAND} label={t('cannotStore.command')} />
      </Stack>
    </Alert>
  );
}

/** The keys that matter most come first. */
const byToolCount = (a: ProviderKey, b: ProviderKey): number =>
  toolCountOf(b) - toolCountOf(a) || (a.name < b.name ? -1 : 1);

/** What the row of a key says. */
function useRow() {
  const { t } = useTranslation('providerKeys');
  return (key: ProviderKey) => {
    const { name, origin, servers } = key;
    const [only] = servers;
    const facts = [
      t('tools', { count: toolCountOf(key) }),
      ...(key.datasets.length > 1 ? [t('datasets', { count: key.datasets.length })] : []),
      ...(origin === 'environment' || origin === 'sandbox' ? [t(`origin.${origin}`)] : []),
    ];
    return {
      title: servers.length === 1 && only ? only.name : (hostOf(key) ?? name),
      name,
      tools: facts.join(' · '),
      badge: <KeyBadge providerKey={key} />,
    };
  };
}
