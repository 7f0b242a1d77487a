import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';

/** Goes to a page as the person who has just signed in. */
export function useSignedIn(): (page: string) => Promise<void> {
  const router = useRouter();
  const queries = useQueryClient();
  return async (page) => {
    // Nothing that another person saw on this device may remain.
    queries.clear();
    await router.invalidate();
    router.history.push(page);
  };
}
