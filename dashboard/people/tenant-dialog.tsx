import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { meQuery } from '../app/session.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';

/** A tenant whose name is changed, or a new one. */
export interface EditedTenant {
  readonly slug?: string;
  readonly name?: string;
}

interface TenantDialogProps {
  /** Null: the dialog is closed. */
  readonly tenant: EditedTenant | null;
  readonly onClose: () => void;
}

export function TenantDialog({ tenant, onClose }: TenantDialogProps) {
  const { t } = useTranslation('people');
  const title = t(tenant?.slug === undefined ? 'tenants.create' : 'tenants.renameTitle');
  return (
    <Modal opened={tenant !== null} onClose={onClose} title={title} centered>
      {tenant && <TenantForm tenant={tenant} onClose={onClose} />}
    </Modal>
  );
}

function TenantForm({ tenant, onClose }: { tenant: EditedTenant; onClose: () => void }) {
  const { t } = useTranslation('people');
  const queries = useQueryClient();
  const isNew = tenant.slug === undefined;
  const form = useForm({ initialValues: { slug: tenant.slug ?? '', name: tenant.name ?? '' } });
  const save = useMutation({
    mutationFn: ({ slug, name }: { slug: string; name: string }) =>
      isNew
        ? callAdmin('POST /tenants', { slug, name })
        : callAdmin('PATCH /tenants/:tenant', { tenant: slug, name }),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: ['tenants'] });
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack>
        {save.error && <ErrorAlert error={save.error} />}
        <TextInput
          {...form.getInputProps('name')}
          label={t('name')}
          maxLength={100}
          required
          withAsterisk={false}
          data-autofocus
        />
        <TextInput
          {...form.getInputProps('slug')}
          label={t('tenants.slug')}
          description={t('tenants.slugText')}
          maxLength={40}
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          required
          withAsterisk={false}
          readOnly={!isNew}
          variant={isNew ? 'default' : 'filled'}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {t(isNew ? 'tenants.create' : 'save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
