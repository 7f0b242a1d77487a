import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The page opens its form to create something, as an action of the search asks. */
    opensForm?: boolean;
  }
}

/** Opens the form of a page once if the navigation to it asks for that. */
export function useOpenForm(open: () => void): void {
  const navigate = useNavigate();
  const isAsked = useLocation({ select: ({ state }) => state.opensForm ?? false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each request opens it once.
  useEffect(() => {
    if (!isAsked) return;
    open();
    void navigate({ to: '.', search: true, replace: true, state: {} } as never);
  }, [isAsked]);
}
