import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../app/tenant-in-use.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { type ApiKey, keysOf } from './key-queries.ts';

export interface RevokeKeyProps {
  readonly apiKey: ApiKey | undefined;
  readonly onClose: () => void;
}

/** Revokes a key, once its name has been typed. */
export function RevokeKey({ apiKey, onClose }: RevokeKeyProps) {
  const { t } = useTranslation('keys');
  const { slug: tenant } = useTenant();
  const queries = useQueryClient();
  const revoke = async (id: string): Promise<void> => {
    await callAdmin('DELETE /tenants/:tenant/keys/:id', { tenant, id });
    await queries.invalidateQueries({ queryKey: keysOf(tenant) });
  };
  return (
    <ConfirmDialog
      isOpen={apiKey !== undefined}
      onClose={onClose}
      title={t('revoke.title')}
      action={t('revoke.submit')}
      isDangerous
      typed={apiKey?.name.trim() ?? ''}
      onConfirm={async () => apiKey && revoke(apiKey.id)}
    >
      {t('revoke.text', { name: apiKey?.name ?? '' })}
    </ConfirmDialog>
  );
}
