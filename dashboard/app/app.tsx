import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { queryClient } from './query-client.ts';
import { router } from './router.tsx';
import { cssVariables, theme } from './theme.ts';

const colorSchemeManager = localStorageColorSchemeManager({ key: 'tool-gateway-colours' });

/** Nothing has to be said before the first page is shown. */
const Toasts = lazy(() => import('./toasts.tsx'));

/** The dashboard with everything that its pages need. */
export const App = () => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    defaultColorScheme="auto"
    colorSchemeManager={colorSchemeManager}
    getStyleNonce={() => styleNonce}
  >
    <Suspense>
      <Toasts />
    </Suspense>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>
);

/** The nonce with which style elements pass the content security policy of this page. */
const styleNonce: string =
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// Mantine's dialogs lock the page's scrolling with a style element of react-remove-scroll, which reads this name.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
