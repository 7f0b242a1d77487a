import { Alert, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Trans, useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { quotaQuery } from '../overview/overview-queries.ts';
import { usePerson } from '../session/session.ts';
import { ErrorAlert, Hint } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import { KeyDatasets } from './key-datasets.tsx';
import { KeyForm } from './key-form.tsx';
import { KeySource } from './key-source.tsx';
import { KeyAdvice } from './key-state.tsx';
import type { ProviderKey } from './provider-keys-query.ts';

export interface KeyPanelProps {
  readonly providerKey: ProviderKey;
  readonly canStore: boolean;
}

/** Everything about one key: what is wrong with it, where to get it, and how to set, test and remove it. */
export const KeyPanel = ({ providerKey, canStore }: KeyPanelProps) => (
  <Stack>
    <KeyAdvice providerKey={providerKey} />
    <Notice providerKey={providerKey} />
    <KeyQuota name={providerKey.name} />
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="2.5rem" verticalSpacing="lg">
      <Stack gap="sm">
        <KeyForm providerKey={providerKey} canStore={canStore} />
        <LastChange providerKey={providerKey} />
        {providerKey.servers.length > 0 && <KeyPolicy providerKey={providerKey} />}
      </Stack>
      {providerKey.servers.length > 0 && <KeySource providerKey={providerKey} />}
    </SimpleGrid>
    <KeyDatasets providerKey={providerKey} />
  </Stack>
);

function Notice({ providerKey }: Pick<KeyPanelProps, 'providerKey'>) {
  const { t } = useTranslation('providerKeys');
  const { name } = providerKey;
  const notice = noticeOf(providerKey);
  if (!notice) return null;
  return (
    <Alert color="blue" icon={<IconInfoCircle aria-hidden />}>
      <Text size="sm" maw="46rem">
        {t(`notice.${notice}`, { name })}
      </Text>
    </Alert>
  );
}

function noticeOf({ origin, isStored, servers }: ProviderKey) {
  if (servers.length === 0) return 'unneeded';
  if (origin === 'environment') return isStored ? 'environmentStored' : 'environment';
  return origin === 'sandbox' ? origin : null;
}

function LastChange({ providerKey }: Pick<KeyPanelProps, 'providerKey'>) {
  const { t } = useTranslation('providerKeys');
  const person = usePerson();
  const { changedAt, changedBy, changedByEmail } = providerKey;
  if (changedAt === null || changedBy === null) return null;
  const who = changedBy === person?.id ? 'you' : changedBy === 'cli' ? 'cli' : 'person';
  return (
    <Hint size="xs">
      <Trans
        t={t}
        i18nKey={`changed.${who}`}
        values={{ by: changedByEmail ?? changedBy }}
        components={{ time: <RelativeTime at={changedAt} /> }}
      />
    </Hint>
  );
}

/** How many requests were sent with the key since midnight in Seoul, when most providers start to count again. */
function KeyQuota({ name }: { readonly name: ProviderKey['name'] }) {
  const { t } = useTranslation('providerKeys');
  const { count, time } = useFormat();
  const { data } = useQuery(quotaQuery);
  const quota = data?.quotas.find(({ secret }) => secret === name);
  if (!quota) return null;
  return (
    <Hint>{t('quota', { requests: count(quota.requestsToday), time: time(quota.resetsAt) })}</Hint>
  );
}

/** Whether tenants without a key of their own use the operator's. */
function KeyPolicy({ providerKey }: { readonly providerKey: ProviderKey }) {
  const { t } = useTranslation('providerKeys');
  const queries = useQueryClient();
  const { name, policy } = providerKey;
  const change = useMutation({
    mutationFn: (isShared: boolean) =>
      callAdmin('POST /provider-keys/:name/policy', { name, policy: isShared ? 'shared' : 'own' }),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Stack gap="xs">
      <Switch
        label={t('policy.label')}
        description={t('policy.description')}
        checked={policy === 'shared'}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      {change.error && <ErrorAlert error={change.error} />}
    </Stack>
  );
}
