import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../app/root-route.ts';

const getParentRoute = () => signedInRoute;

export const apisRoutes = [
  createRoute({
    getParentRoute,
    path: '/admin/apis',
    component: lazyRouteComponent(() => import('./apis-page.tsx'), 'ApisPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/admin/apis/register',
    component: lazyRouteComponent(() => import('./register-page.tsx'), 'RegisterPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/admin/apis/jobs/$job',
    component: lazyRouteComponent(() => import('./job-page.tsx'), 'JobPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/admin/apis/$api',
    component: lazyRouteComponent(() => import('./api-page.tsx'), 'ApiPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/admin/settings/approvals',
    component: lazyRouteComponent(() => import('./approvals-page.tsx'), 'ApprovalsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/admin/settings/approvals/$api',
    component: lazyRouteComponent(() => import('./approval-page.tsx'), 'ApprovalPage'),
  }),
] as const;
