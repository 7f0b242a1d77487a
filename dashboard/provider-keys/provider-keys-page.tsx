import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { IconKeyOff, IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../shared/code-block.tsx';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { PageHeader } from '../shared/page-header.tsx';
import { KeyList } from './key-list.tsx';
import { isInUse, providerKeysQuery } from './provider-keys-query.ts';

/** Where operators set the secrets of presets. */
export function ProviderKeysPage() {
  const { t } = useTranslation('providerKeys');
  const { data, error, refetch } = useQuery(providerKeysQuery);
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          data &&
          data.keys.length > 0 && (
            <Text size="sm" c="dimmed">
              {t('count', { set: data.keys.filter(isInUse).length, all: data.keys.length })}
            </Text>
          )
        }
      />
      <Stack>
        {error && <ErrorAlert error={error} onRetry={refetch} />}
        {data && !data.canStore && <CannotStore />}
        {!data && !error && <Loading />}
        {data &&
          (data.keys.length === 0 ? (
            <EmptyState icon={IconKeyOff} title={t('empty.title')} text={t('empty.text')} />
          ) : (
            <KeyList keys={data.keys} canStore={data.canStore} />
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

const LOADING_ROWS = ['a', 'b', 'c', 'd', 'e'];

const Loading = () => (
  <Stack gap="xs" aria-busy>
    {LOADING_ROWS.map((row) => (
      <Skeleton key={row} height={64} radius="md" />
    ))}
  </Stack>
);
