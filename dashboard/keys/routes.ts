import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { signedInRoute } from '../app/root-route.ts';
import { readKeySearch } from './key-search.ts';

export const keysRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/admin/settings',
    beforeLoad: () => {
      throw redirect({ to: '/admin/settings/keys' });
    },
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/admin/settings/keys',
    validateSearch: readKeySearch,
    component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
  }),
] as const;
