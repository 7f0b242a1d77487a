import { Alert, Anchor, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ask, callAdmin } from '../api/call-admin.ts';
import { ErrorAlert } from '../shared/page.tsx';
import type { AuthenticationValues } from './api-form.ts';
import { AuthenticationFields } from './authentication-fields.tsx';

interface DatasetKeyProps {
  readonly tenant: string;
  readonly values: AuthenticationValues;
  readonly onChange: (values: AuthenticationValues) => void;
}

/** The key that the API is called with: that of the tenant, entered once for all datasets, or another. */
export function DatasetKey({ tenant, values, onChange }: DatasetKeyProps) {
  return (
    <Stack gap="md" maw="56rem">
      <AuthenticationFields values={values} onChange={onChange} />
      {values.type === 'provider_key' && <StoredKey tenant={tenant} name={values.providerKey} />}
    </Stack>
  );
}

const PAGE = 'https://www.data.go.kr/iim/api/selectAPIAcountView.do';

/** Whether the tenant has stored its key, and a field to store it. */
function StoredKey({ tenant, name }: { readonly tenant: string; readonly name: string }) {
  const { t } = useTranslation('apis');
  const queries = useQueryClient();
  const [value, setValue] = useState('');
  // The key that the page for own keys shows, too.
  const queryKey = ['own-keys', tenant];
  const keys = useQuery({
    queryKey,
    queryFn: ask('GET /tenants/:tenant/provider-keys', { tenant }),
  });
  const store = useMutation({
    mutationFn: () =>
      callAdmin('PUT /tenants/:tenant/provider-keys/:name', { tenant, name, value: value.trim() }),
    onSuccess: () => {
      setValue('');
      return queries.invalidateQueries({ queryKey });
    },
  });
  if (keys.error) return <ErrorAlert error={keys.error} onRetry={keys.refetch} />;
  const key = keys.data?.providerKeys.find((each) => each.name === name);
  if (key?.owner === 'tenant' && key.isSet) {
    return (
      <Alert color="celadon" role="status">
        {t('dataset.keyStored')}
      </Alert>
    );
  }
  return (
    <Stack gap="xs">
      <Text size="sm">
        {t('dataset.keyMissing')}{' '}
        <Anchor href={PAGE} target="_blank" rel="noreferrer" size="sm">
          data.go.kr
        </Anchor>
      </Text>
      <Group align="end" gap="sm">
        <PasswordInput
          label={t('dataset.keyValue')}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          autoComplete="new-password"
          flex={1}
          miw="14rem"
        />
        <Button
          variant="default"
          onClick={() => store.mutate()}
          loading={store.isPending}
          disabled={value.trim() === ''}
        >
          {t('dataset.keyStore')}
        </Button>
      </Group>
      {store.error && <ErrorAlert error={store.error} />}
    </Stack>
  );
}
