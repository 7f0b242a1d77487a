import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { AdminError } from '../api/admin-error.ts';
import { reportSignedOut } from '../session/session.ts';
import { reportOutage } from './outage.ts';

const MAX_RETRIES = 2;

const MAX_RETRY_DELAY_MS = 3000;

/**
 * Retries what may succeed later: the errors that say so, and an unreachable gateway for as long as it is. The bar over the
 * page says that, so that no panel needs to: it keeps its data, or waits.
 */
function mayRetry(failures: number, error: Error): boolean {
  if (!(error instanceof AdminError)) return false;
  if (error.status !== 0) return failures < MAX_RETRIES && error.isRetryable;
  if (failures >= MAX_RETRIES) reportOutage();
  return true;
}

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
      retryDelay: (failures) => Math.min(1000 * 2 ** failures, MAX_RETRY_DELAY_MS),
      staleTime: 10_000,
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
