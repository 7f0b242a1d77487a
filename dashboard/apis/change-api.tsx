import { Alert, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconUsers } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { isStatus } from '../api/admin-error.ts';
import { type AdminInput, callAdmin } from '../api/call-admin.ts';
import { ErrorAlert, ErrorMessage } from '../shared/page.tsx';
import { type Api, apiQuery, apisKey } from './queries.ts';

type Change = Omit<
  AdminInput<'PATCH /tenants/:tenant/registrations/:id'>,
  'tenant' | 'id' | 'revision'
>;

/** Changes the revision that is shown: if somebody else has changed it, the gateway refuses with 409. */
export function useChangeApi(tenant: string, { id, revision }: Pick<Api, 'id' | 'revision'>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ done: _done, ...change }: Change & { readonly done: string }) =>
      callAdmin('PATCH /tenants/:tenant/registrations/:id', { tenant, id, revision, ...change }),
    onSuccess: async (_answer, { done }) => {
      notifications.show({ message: done });
      await queries.invalidateQueries({ queryKey: apisKey(tenant) });
    },
  });
}

/** Shows what is stored now. */
export function useReloadApi(tenant: string, id: string): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: apiQuery(tenant, id).queryKey });
}

/** Why a change was refused. Of two people who change the same thing, the second is offered what the first has stored. */
export function ChangeError({ error, onReload }: { error: Error; onReload: () => unknown }) {
  const { t } = useTranslation('apis');
  if (!isStatus(error, 409)) return <ErrorAlert error={error} />;
  return (
    <Alert color="yellow" role="alert" icon={<IconUsers aria-hidden />}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" component="div" flex={1} miw={200}>
          <ErrorMessage code="conflict" message={error.message} />
        </Text>
        <Button size="xs" variant="default" onClick={() => onReload()}>
          {t('api.reload')}
        </Button>
      </Group>
    </Alert>
  );
}
