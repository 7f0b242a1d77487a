import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { AdminError } from '../api/admin-error.ts';
import { reportSignedOut } from '../session/session.ts';
import { reportOutage } from './outage.ts';

const MAX_RETRIES = 2;

/** Retries what may succeed later: an unreachable gateway, and the errors that say so. */
const mayRetry = (failures: number, error: Error): boolean =>
  failures < MAX_RETRIES && error instanceof AdminError && error.isRetryable;

function onError(error: Error): void {
  if (!(error instanceof AdminError)) return;
  if (error.status === 0) reportOutage();
  if (error.status === 401) reportSignedOut();
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // A gateway on this machine is there without a network, too.
    queries: {
      networkMode: 'always',
      retry: mayRetry,
      staleTime: 10_000,
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
