import { createRouter } from '@tanstack/react-router';
import { apisRoutes } from '../apis/routes.ts';
import { auditRoutes } from '../audit/routes.ts';
import { publicCatalogueRoutes } from '../catalogue/routes.ts';
import { homeRoutes } from '../home/routes.ts';
import { keysRoutes } from '../keys/routes.ts';
import { liveRoutes } from '../live/routes.ts';
import { overviewRoutes } from '../overview/routes.ts';
import { peopleRoutes } from '../people/routes.ts';
import { providerKeysRoutes } from '../provider-keys/routes.ts';
import { signInRoutes } from '../sign-in/routes.ts';
import { queryClient } from './query-client.ts';
import { rootRoute, signedInRoute } from './root-route.ts';
import { RoutePending } from './route-pending.tsx';
import { onSignedOut } from './signed-out.ts';

const routeTree = rootRoute.addChildren([
  ...homeRoutes,
  ...signInRoutes,
  ...publicCatalogueRoutes,
  signedInRoute.addChildren([
    ...overviewRoutes,
    ...liveRoutes,
    ...auditRoutes,
    ...apisRoutes,
    ...keysRoutes,
    ...providerKeysRoutes,
    ...peopleRoutes,
  ]),
]);

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingComponent: RoutePending,
  defaultPendingMs: 150,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** Leads a person whose session has ended to the sign-in page, and back to the same address afterwards. */
onSignedOut(() => {
  queryClient.setQueryData(['me'], null);
  const { pathname, href } = router.state.location;
  const needsPerson = router.state.matches.some(({ routeId }) => routeId === signedInRoute.id);
  if (!needsPerson || pathname === '/admin/sign-in') return;
  void router.navigate({ to: '/admin/sign-in', search: { back: href } });
});
