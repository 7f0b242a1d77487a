import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';

const load = () => import('./search-dialog.tsx');
const SearchDialog = lazy(load);

export interface SearchState {
  readonly isLoaded: boolean;
  readonly open: () => void;
}

/** Opens the search over tools and pages: ⌘K, Ctrl K or the button in the app bar. */
export function useSearchState(): SearchState {
  const [isLoaded, setLoaded] = useState(false);
  const open = () => {
    setLoaded(true);
    void load().then(({ openSearch }) => openSearch());
  };
  useHotkeys([['mod+K', open]], []);
  return { isLoaded, open };
}

/** The dialog of the search, loaded when it is first opened. */
export const Search = ({ state: { isLoaded } }: { readonly state: SearchState }) => (
  <Suspense>{isLoaded && <SearchDialog />}</Suspense>
);
