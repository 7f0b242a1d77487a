import { queryOptions, useQuery } from '@tanstack/react-query';
import { AdminError } from '../api/admin-error.ts';
import type { AdminAnswer } from '../api/admin-types.ts';
import { callAdmin } from '../api/call-admin.ts';
import { reportSignedOut } from './signed-out.ts';

/** What the gateway says about who is signed in. */
export type Me = AdminAnswer<'GET /me'>;

/** Null: not signed in. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }): Promise<Me | null> => {
    try {
      return await callAdmin('GET /me', {}, { signal });
    } catch (error) {
      if (!(error instanceof AdminError) || error.status !== 401) throw error;
      reportSignedOut();
      return null;
    }
  },
  staleTime: 60_000,
});

/** Who is signed in; null for a visitor, and while nothing is known yet. */
export const usePerson = (): Me['person'] | null => useQuery(meQuery).data?.person ?? null;
