import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { ErrorAlert, Hint, PageHeader } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { KeyDatasets } from './key-datasets.tsx';
import { RemoveButton, ValueField } from './key-form.tsx';
import { KeyList } from './key-list.tsx';
import { KeyOrigins } from './key-origins.tsx';
import { KeyAdvice, KeyBadge } from './key-state.tsx';
import { type TenantKey, tenantKeysQuery, valueIssue } from './provider-keys-query.ts';

/** The provider keys that calls of the tenant send, and where its admins bring their own. */
export function TenantKeysPage() {
  const { t } = useTranslation('providerKeys');
  const { slug } = useTenant();
  const { data, error, refetch } = useQuery(tenantKeysQuery(slug));
  return (
    <>
      <PageHeader title={t('own.title')} description={t('own.description')} />
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {data && (
        <KeyList
          keys={data.providerKeys}
          row={(key) => ({
            title: titleOf(key) ?? key.name,
            name: titleOf(key) && key.name,
            tools: [
              t('tools', { count: key.datasets.flatMap(({ tools }) => tools).length }),
              ...(key.state === 'missing' ? [] : [t(`own.holder.${key.owner}`)]),
            ].join(' · '),
            badge: <KeyBadge providerKey={key} />,
          })}
          panel={(key) => <Panel tenantKey={key} />}
        />
      )}
    </>
  );
}

/** What people know a key by: its only dataset, else the host of the provider. */
const titleOf = ({ datasets }: TenantKey): string | undefined => {
  const [first, second] = datasets;
  if (!second) return first?.title;
  return URL.parse(first?.applyUrl ?? '')?.hostname.replace(/^www\./, '');
};

interface Shown {
  readonly tenantKey: TenantKey;
}

function Panel({ tenantKey }: Shown) {
  const { t } = useTranslation('providerKeys');
  const { canChange } = useTenant();
  return (
    <Stack>
      <KeyAdvice providerKey={tenantKey} />
      {tenantKey.state !== 'unreadable' && (
        <Text size="sm" maw="46rem">
          {t(`own.meaning.${tenantKey.state === 'missing' ? 'missing' : tenantKey.owner}`)}
        </Text>
      )}
      {canChange && <TenantKeyForm tenantKey={tenantKey} />}
      {tenantKey.changedAt !== null && (
        <Hint size="xs">
          <RelativeTime at={tenantKey.changedAt} />
        </Hint>
      )}
      {tenantKey.owner === 'tenant' && <KeyOrigins tenantKey={tenantKey} />}
      <KeyDatasets providerKey={tenantKey} />
    </Stack>
  );
}

/** Stores or replaces the key of the tenant. A value is kept in memory only, until it is saved. */
function TenantKeyForm({ tenantKey }: Shown) {
  const { t } = useTranslation('providerKeys');
  const [value, setValue] = useState('');
  const save = useSave(tenantKey, () => setValue(''));
  const issue = valueIssue(value);
  const isSavable = value.trim() !== '' && issue === null;
  const submit = (event: { preventDefault(): void }) => {
    event.preventDefault();
    if (isSavable) save.mutate(value.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw="32rem">
        <ValueField
          {...{ value, setValue, issue }}
          label={t('own.holder.tenant')}
          name={`own-key-${tenantKey.name}`}
        />
        <Group gap="xs">
          <Button type="submit" disabled={!isSavable} loading={save.isPending}>
            {t('form.save')}
          </Button>
          {tenantKey.owner === 'tenant' && <RemoveTenantKey tenantKey={tenantKey} />}
        </Group>
        {save.error && <ErrorAlert error={save.error} />}
      </Stack>
    </form>
  );
}

function useSave({ name }: TenantKey, onSaved: () => void) {
  const { t } = useTranslation('providerKeys');
  const { slug: tenant } = useTenant();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (value: string) =>
      callAdmin('PUT /tenants/:tenant/provider-keys/:name', { tenant, name, value }),
    // Secrets are not kept in the cache of mutations.
    gcTime: 0,
    onSuccess: () => {
      onSaved();
      notifications.show({ message: t('form.saved', { name }) });
      return queries.invalidateQueries();
    },
  });
}

/** Removes the key of the tenant, after a confirmation. */
function RemoveTenantKey({ tenantKey: { name, policy } }: Shown) {
  const { t } = useTranslation('providerKeys');
  const { slug: tenant } = useTenant();
  const remove = () => callAdmin('DELETE /tenants/:tenant/provider-keys/:name', { tenant, name });
  return (
    <RemoveButton name={name} remove={remove}>
      {t(`own.remove.${policy}`)}
    </RemoveButton>
  );
}
