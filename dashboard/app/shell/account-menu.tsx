import { Avatar, Button, Menu, UnstyledButton } from '@mantine/core';
import { IconLogout, IconUser } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../../api/call-admin.ts';
import { meQuery, usePerson } from '../session.ts';

export function AccountMenu() {
  const { t } = useTranslation();
  const person = usePerson();
  const signOut = useSignOut();
  if (!person) {
    return (
      <Button component={Link} to="/admin/sign-in" size="xs" fz="sm" px="md">
        {t('account.signIn')}
      </Button>
    );
  }
  const name = person.name || person.email;
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={t('account.menu', { name })}>
          <Avatar size={32} color="celadon" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('account.signedInAs', { email: person.email })}</Menu.Label>
        <Menu.Item
          component={Link}
          to="/admin/settings/account"
          leftSection={<IconUser size={16} aria-hidden />}
        >
          {t('account.settings')}
        </Menu.Item>
        <Menu.Item
          onClick={() => signOut.mutate()}
          leftSection={<IconLogout size={16} aria-hidden />}
        >
          {t('account.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function useSignOut() {
  const queries = useQueryClient();
  const router = useRouter();
  return useMutation({
    mutationFn: () => callAdmin('DELETE /session', {}),
    onSuccess: async () => {
      queries.clear();
      queries.setQueryData(meQuery.queryKey, null);
      await router.navigate({ to: '/admin', search: {} });
    },
  });
}
