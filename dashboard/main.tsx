import 'virtual:mantine-styles';
import './app/global.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './app/query-client.ts';
import { router } from './app/router.tsx';
import { startTexts } from './app/texts/start-texts.ts';
import { cssVariables, theme } from './app/theme.ts';
import { homeQuery, meQuery } from './session/session.ts';

const colorSchemeManager = localStorageColorSchemeManager({ key: 'tool-gateway-colours' });

/** Nothing has to be said before the first page is shown. */
const Toasts = lazy(() => import('./app/toasts.tsx'));

/** The dashboard with everything that its pages need. */
const App = () => (
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

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root.');
/** Who is signed in decides what surrounds every page: nothing moves if it is known first. A slow gateway is not waited for. */
const MAX_WAIT_MS = 2000;
await Promise.all([
  startTexts(),
  Promise.race([
    Promise.all([queryClient.prefetchQuery(meQuery), queryClient.prefetchQuery(homeQuery)]),
    new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS)),
  ]),
]);
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
