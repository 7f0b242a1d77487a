import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../app/tenant-in-use.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { KeyFields } from './key-fields.tsx';
import { changesOf, formOf, type KeyFormValues } from './key-form.ts';
import { type ApiKey, keysOf } from './key-queries.ts';

export interface ChangeKeyProps {
  readonly apiKey: ApiKey | undefined;
  readonly onClose: () => void;
  /** Called with the present state of the key, if another person has changed it. */
  readonly onReload: (key: ApiKey) => void;
}

/** Changes a key without a new text. */
export function ChangeKey({ apiKey, onClose, onReload }: ChangeKeyProps) {
  const { t } = useTranslation('keys');
  return (
    <Modal
      opened={apiKey !== undefined}
      onClose={onClose}
      title={t('change.title')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {apiKey && (
        <ChangeForm
          key={`${apiKey.id} ${apiKey.revision}`}
          apiKey={apiKey}
          onClose={onClose}
          onReload={onReload}
        />
      )}
    </Modal>
  );
}

type ChangeFormProps = ChangeKeyProps & { readonly apiKey: ApiKey };

function ChangeForm({ apiKey, onClose, onReload }: ChangeFormProps) {
  const { t } = useTranslation('keys');
  const form = useForm<KeyFormValues>({ initialValues: formOf(apiKey) });
  const { slug: tenant } = useTenant();
  const queries = useQueryClient();
  const { id, revision } = apiKey;
  const refresh = () => queries.invalidateQueries({ queryKey: keysOf(tenant) });
  const change = useMutation({
    mutationFn: (values: KeyFormValues) => {
      const changes = changesOf(values, apiKey, Date.now());
      return callAdmin('PATCH /tenants/:tenant/keys/:id', { tenant, id, revision, ...changes });
    },
    onSuccess: async () => {
      onClose();
      await refresh();
    },
  });
  const reload = useMutation({
    mutationFn: () => callAdmin('GET /tenants/:tenant/keys/:id', { tenant, id }),
    onSuccess: async (key) => {
      onReload(key);
      await refresh();
    },
  });
  const isConflict = change.error instanceof AdminError && change.error.status === 409;
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
      <Stack>
        <KeyFields form={form} currentExpiry={apiKey.expiresAt} />
        {isConflict ? (
          <Alert color="yellow" role="alert" title={t('conflict.title')}>
            <Stack gap="xs" align="flex-start">
              {t('conflict.text')}
              <Button
                size="xs"
                variant="default"
                loading={reload.isPending}
                onClick={() => reload.mutate()}
              >
                {t('conflict.reload')}
              </Button>
            </Stack>
          </Alert>
        ) : (
          change.error && <ErrorAlert error={change.error} />
        )}
        {reload.error && <ErrorAlert error={reload.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={change.isPending} disabled={isConflict}>
            {t('change.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
