import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../app/root-route.ts';
import { meQuery } from '../app/session.ts';

/** For visitors; people who are signed in are led to their overview. */
export const homeRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/admin' });
    },
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/admin',
    beforeLoad: async ({ context }) => {
      const me = await context.queryClient.ensureQueryData(meQuery);
      if (me) throw redirect({ to: '/admin/overview' });
    },
    component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
  }),
] as const;
