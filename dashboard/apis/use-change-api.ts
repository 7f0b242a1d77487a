import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AdminInput } from '../api/admin-types.ts';
import { callAdmin } from '../api/call-admin.ts';
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
