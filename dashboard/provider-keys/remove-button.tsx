import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';

interface Removal {
  readonly name: string;
  readonly onConfirm: () => Promise<void>;
  /** What follows from it. */
  readonly children: ReactNode;
}

/** Asks before a key is removed. */
export function RemoveButton({ name, onConfirm, children }: Removal) {
  const { t } = useTranslation('providerKeys');
  const [isOpen, { open, close }] = useDisclosure();
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
        onConfirm={onConfirm}
        isDangerous
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
