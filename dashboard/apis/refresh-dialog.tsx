import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ApiDialogProps } from './api-actions.tsx';
import { LazyRefreshForm } from './lazy-parts.tsx';

/** Takes the description again: first to compare, then to use it. */
export function RefreshDialog({ isOpen, onClose, ...rest }: ApiDialogProps) {
  const { t } = useTranslation('apis');
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('refresh.title', { name: rest.api.name })}
      size="xl"
    >
      <LazyRefreshForm {...rest} onClose={onClose} />
    </Modal>
  );
}
