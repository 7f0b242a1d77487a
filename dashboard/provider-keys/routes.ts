import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../app/root-route.ts';

export const providerKeysRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/admin/settings/provider-keys',
    component: lazyRouteComponent(() => import('./provider-keys-page.tsx'), 'ProviderKeysPage'),
  }),
] as const;
