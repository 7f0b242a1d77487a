import { queryOptions } from '@tanstack/react-query';
import { callAdmin } from '../api/call-admin.ts';

/** What this gateway is: version, address and counts. */
export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: ({ signal }) => callAdmin('GET /home', {}, { signal }),
  staleTime: 5 * 60_000,
});
