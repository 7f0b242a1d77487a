import { queryOptions } from '@tanstack/react-query';
import { ask } from './call-admin.ts';

/** What this gateway is: version, address and counts. */
export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: ask('GET /home', {}),
  staleTime: 5 * 60_000,
});
