import { queryOptions, useQuery } from '@tanstack/react-query';
import type { AdminAnswer } from '../api/admin-types.ts';
import { callAdmin } from '../api/call-admin.ts';
import { reportSignedOut } from './signed-out.ts';

/** What the gateway says about who is signed in. */
export type Me = AdminAnswer<'GET /me'>;

/** Null: not signed in. A visitor's question is no failure, which browsers would print. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }): Promise<Me | null> => {
    const { person } = await callAdmin('GET /session', {}, { signal });
    if (person) return { person };
    reportSignedOut();
    return null;
  },
  staleTime: 60_000,
});

/** Who is signed in; null for a visitor, and while nothing is known yet. */
export const usePerson = (): Me['person'] | null => useQuery(meQuery).data?.person ?? null;
