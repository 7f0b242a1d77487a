import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../app/root-route.ts';

export const liveRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/admin/live',
    component: lazyRouteComponent(() => import('./live-page.tsx'), 'LivePage'),
  }),
] as const;
