import { Button, Group, Modal, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/admin-types.ts';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../app/tenant-in-use.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { KeyFields } from './key-fields.tsx';
import { EMPTY_FORM, type KeyFormValues, membersOf } from './key-form.ts';
import { keysOf } from './key-queries.ts';
import { NewKey } from './new-key.tsx';

export interface CreateKeyProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates a key, and then shows its text until the dialog is closed. */
export function CreateKey({ isOpen, onClose }: CreateKeyProps) {
  const { t } = useTranslation('keys');
  const { slug: tenant } = useTenant();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (values: KeyFormValues) =>
      callAdmin('POST /tenants/:tenant/keys', { tenant, ...membersOf(values, Date.now()) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysOf(tenant) }),
    // The text of the key is nowhere but in the open dialog.
    gcTime: 0,
  });
  const close = (): void => {
    create.reset();
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={create.data ? t('created.title') : t('create.title')}
      size={create.data ? 'xl' : 'lg'}
      closeOnClickOutside={!create.data}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {create.data ? (
        <NewKey text={create.data.text} onDone={close} />
      ) : (
        <CreateForm onClose={close} create={create} />
      )}
    </Modal>
  );
}

interface CreateFormProps {
  readonly onClose: () => void;
  readonly create: ReturnType<
    typeof useMutation<AdminAnswer<'POST /tenants/:tenant/keys'>, Error, KeyFormValues>
  >;
}

function CreateForm({ onClose, create }: CreateFormProps) {
  const { t } = useTranslation('keys');
  const form = useForm<KeyFormValues>({ initialValues: EMPTY_FORM });
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        <KeyFields form={form} />
        {create.error && <ErrorAlert error={create.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {t('create.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
