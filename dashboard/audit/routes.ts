import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../app/root-route.ts';
import { decodeSearch } from './audit-search.ts';

export const auditRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/admin/audit',
    validateSearch: decodeSearch,
    component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
  }),
] as const;
