import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import type { Open } from './key-dialogs.tsx';
import { type ApiKey, keysOf } from './key-queries.ts';

// Most visits only look: the forms and the snippets are loaded with the first dialog.
const KeyDialogs = lazy(async () => ({ default: (await import('./key-dialogs.tsx')).KeyDialogs }));

interface OpenKeyDialogProps {
  readonly open: Open | null;
  readonly onOpen: (open: Open | null) => void;
}

/** The dialog that is open, of the list of keys or of one key. */
export function OpenKeyDialog({ open, onOpen }: OpenKeyDialogProps) {
  const [wasOpened, setWasOpened] = useState(false);
  if (open !== null && !wasOpened) setWasOpened(true);
  return (
    <>
      <Suspense>{wasOpened && <KeyDialogs open={open} onOpen={onOpen} />}</Suspense>
      <RevokeKey
        apiKey={open?.action === 'revoke' ? open.key : undefined}
        onClose={() => onOpen(null)}
      />
    </>
  );
}

/** Revokes a key, once its name has been typed. */
function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
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
      action={t('actions.revoke')}
      isDangerous
      typed={apiKey?.name.trim() ?? ''}
      onConfirm={async () => apiKey && revoke(apiKey.id)}
    >
      {t('revoke.text', { name: apiKey?.name ?? '' })}
    </ConfirmDialog>
  );
}
