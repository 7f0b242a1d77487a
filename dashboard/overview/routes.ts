import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../app/root-route.ts';
import { readOverviewSearch } from './overview-search.ts';

export const overviewRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/admin/overview',
    validateSearch: readOverviewSearch,
    component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
  }),
] as const;
