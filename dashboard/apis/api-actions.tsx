import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import type { ApiPartProps } from './api-tabs.tsx';
import { apisKey } from './queries.ts';
import { RefreshDialog } from './refresh-dialog.tsx';

/** What may be done with an API as a whole. */
export function ApiActions({ tenant, api }: ApiPartProps) {
  const { t } = useTranslation('apis');
  const [open, setOpen] = useState<'refresh' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        onClick={() => setOpen('refresh')}
      >
        {t('api.refresh')}
      </Button>
      <Button
        variant="default"
        c="var(--mantine-color-text)"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => setOpen('delete')}
      >
        {t('api.delete')}
      </Button>
      <RefreshDialog tenant={tenant} api={api} isOpen={open === 'refresh'} onClose={close} />
      <DeleteDialog tenant={tenant} api={api} isOpen={open === 'delete'} onClose={close} />
    </>
  );
}

export interface ApiDialogProps extends ApiPartProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function DeleteDialog({ tenant, api, isOpen, onClose }: ApiDialogProps) {
  const { t } = useTranslation('apis');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { id, name, toolIds } = api;
  const remove = async (): Promise<void> => {
    await callAdmin('DELETE /tenants/:tenant/registrations/:id', { tenant, id });
    notifications.show({ message: t('remove.done', { name }) });
    await navigate({ to: '/admin/apis' });
    await queries.invalidateQueries({ queryKey: apisKey(tenant) });
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t('remove.title', { name })}
      action={t('api.delete')}
      onConfirm={remove}
      typed={name}
      isDangerous
    >
      {t('remove.text', { count: toolIds.length })}
    </ConfirmDialog>
  );
}
