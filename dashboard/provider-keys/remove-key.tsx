import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { type ProviderKey, toolCountOf } from './provider-keys-query.ts';
import { useRemoveKey } from './use-key-changes.ts';

/** Removes the stored value, after a confirmation. */
export function RemoveKey({ providerKey }: { readonly providerKey: ProviderKey }) {
  const { t } = useTranslation('providerKeys');
  const [isOpen, { open, close }] = useDisclosure();
  const remove = useRemoveKey(providerKey);
  const { name, origin } = providerKey;
  return (
    <>
      <Button variant="subtle" color="red" onClick={open}>
        {t('form.remove')}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={close}
        title={t('remove.title', { name })}
        action={t('remove.action')}
        onConfirm={remove}
        isDangerous
      >
        {origin === 'environment'
          ? t('remove.unused')
          : t('remove.text', { count: toolCountOf(providerKey) })}
      </ConfirmDialog>
    </>
  );
}
