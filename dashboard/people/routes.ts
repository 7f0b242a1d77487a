import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../app/root-route.ts';

export const peopleRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/admin/settings/members',
    component: lazyRouteComponent(() => import('./members-page.tsx'), 'MembersPage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/admin/settings/tenants',
    component: lazyRouteComponent(() => import('./tenants-page.tsx'), 'TenantsPage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/admin/settings/people',
    component: lazyRouteComponent(() => import('./people-page.tsx'), 'PeoplePage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/admin/settings/trail',
    component: lazyRouteComponent(() => import('./trail-page.tsx'), 'TrailPage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/admin/settings/account',
    component: lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage'),
  }),
] as const;
