import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

type FormName = 'key' | 'invitation';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The form that the page opens, as an action of the search asks. */
    form?: FormName;
  }
}

/** Opens the form of a page once if the navigation to it asks for that. The page before sees that navigation, too. */
export function useOpenForm(form: FormName, open: () => void): void {
  const navigate = useNavigate();
  const isAsked = useLocation({ select: ({ state }) => state.form === form });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each request opens it once.
  useEffect(() => {
    if (!isAsked) return;
    open();
    void navigate({ to: '.', search: true, replace: true, state: {} } as never);
  }, [isAsked]);
}
