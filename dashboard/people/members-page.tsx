import { Button, Stack } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../app/tenant-in-use.ts';
import { PageHeader } from '../shared/page-header.tsx';
import { InvitationList } from './invitation-list.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberList } from './member-list.tsx';

/** Who belongs to the tenant in use, and who is invited to it. */
export function MembersPage() {
  const { t } = useTranslation('people');
  const { slug, name, canChange } = useTenant();
  const [isInviting, setInviting] = useState(false);
  const invite = (
    <Button leftSection={<IconUserPlus size={18} aria-hidden />} onClick={() => setInviting(true)}>
      {t('invite.title')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('members.title')}
        description={t('members.description', { tenant: name })}
        actions={canChange && invite}
      />
      <Stack gap="lg">
        <MemberList key={slug} tenant={slug} canChange={canChange} />
        {canChange && <InvitationList tenant={slug} />}
      </Stack>
      <InviteDialog tenant={slug} isOpen={isInviting} onClose={() => setInviting(false)} />
    </>
  );
}
