import { Stack, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { ErrorAlert } from '../shared/page.tsx';
import type { ProviderKey } from './provider-keys-query.ts';

/** Whether tenants without a key of their own use the operator's. */
export function KeyPolicy({ providerKey }: { readonly providerKey: ProviderKey }) {
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
