import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { callAdmin } from '../api/call-admin.ts';
import { meQuery, reportSignedOut } from '../session/session.ts';

/** Between the tabs of this browser, which share the session. */
const tabs = new BroadcastChannel('tool-gateway-signed-out');
tabs.onmessage = reportSignedOut;

/** Ends the session, here and in the other tabs. */
export function useSignOut() {
  const queries = useQueryClient();
  const router = useRouter();
  return useMutation({
    mutationFn: () => callAdmin('DELETE /session', {}),
    onSuccess: async () => {
      tabs.postMessage(null);
      queries.clear();
      queries.setQueryData(meQuery.queryKey, null);
      await router.navigate({ to: '/admin', search: {}, ignoreBlocker: true });
    },
  });
}
