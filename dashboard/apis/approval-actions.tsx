import { Button, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { type Review, reviewQuery } from './queries.ts';

const MAX_REASON_LENGTH = 500;

/** Approves or rejects the revision that is shown, and no other. */
export function ApprovalActions({ review }: { readonly review: Review }) {
  const { t } = useTranslation('apis');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'approve' | 'reject' | null>(null);
  const [reason, setReason] = useState('');
  const { id, name, revision } = review;
  const finish = async (message: string): Promise<void> => {
    notifications.show({ message });
    await navigate({ to: '/admin/settings/approvals' });
    await queries.invalidateQueries({ queryKey: ['approvals'] });
  };
  const decide = async (deciding: Promise<unknown>, message: string): Promise<void> => {
    try {
      await deciding;
    } catch (error) {
      // If it was changed meanwhile, the page says so.
      void queries.invalidateQueries({ queryKey: reviewQuery(id).queryKey });
      throw error;
    }
    await finish(message);
  };
  const approve = () =>
    decide(
      callAdmin('POST /approvals/:id/approve', { id, revision }),
      t('approvals.approved', { name }),
    );
  const reject = () =>
    decide(
      callAdmin('POST /approvals/:id/reject', { id, revision, reason }),
      t('approvals.rejected', { name }),
    );
  const close = () => setOpen(null);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconX size={16} aria-hidden />}
        onClick={() => setOpen('reject')}
      >
        {t('approvals.reject')}
      </Button>
      <Button leftSection={<IconCheck size={16} aria-hidden />} onClick={() => setOpen('approve')}>
        {t('approvals.approve')}
      </Button>
      <ConfirmDialog
        isOpen={open === 'approve'}
        onClose={close}
        title={t('approvals.approveTitle', { name })}
        action={t('approvals.approve')}
        onConfirm={approve}
      >
        {t('approvals.approveText')}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={open === 'reject'}
        onClose={close}
        title={t('approvals.rejectTitle', { name })}
        action={t('approvals.reject')}
        onConfirm={reject}
        isDangerous
      >
        <Textarea
          label={t('approvals.reason')}
          description={t('approvals.reasonHint')}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={MAX_REASON_LENGTH}
          autosize
          minRows={2}
          data-autofocus
        />
      </ConfirmDialog>
    </>
  );
}
