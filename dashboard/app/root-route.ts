import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { CrashPage } from './crash-page.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { meQuery } from './session.ts';
import { Shell } from './shell/shell.tsx';

export interface RouterContext {
  readonly queryClient: QueryClient;
}

/** What every address may carry. */
export interface RootSearch {
  /** The slug of the tenant in use. */
  readonly tenant?: string;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  validateSearch: ({ tenant }: Record<string, unknown>): RootSearch =>
    typeof tenant === 'string' && tenant.length <= 100 ? { tenant } : {},
  search: { middlewares: [retainSearchParams(['tenant'])] },
  component: Shell,
  notFoundComponent: NotFoundPage,
  errorComponent: CrashPage,
});

/** A session may end elsewhere; each navigation asks again after this time. */
const RECHECK_MS = 1000;

/** The parent of all pages that need a person: others are led to the sign-in page, and back afterwards. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const me = await context.queryClient.ensureQueryData(meQuery);
    if (!me) throw redirect({ to: '/admin/sign-in', search: { back: location.href } });
    // The page does not wait for this: if the session has ended meanwhile, `onSignedOut` leads away from it.
    void context.queryClient.prefetchQuery({ ...meQuery, staleTime: RECHECK_MS });
  },
});
