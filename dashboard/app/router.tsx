import { Button, Stack } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { readApiSearch } from '../apis/api-search.ts';
import { decodeSearch } from '../audit/audit-search.ts';
import { readArgs, readFilters } from '../catalogue/catalogue-search.ts';
import { readKeyPageSearch, readKeySearch } from '../keys/key-search.ts';
import { readOverviewSearch } from '../overview/overview-search.ts';
import { readTrailSearch } from '../people/trail-search.ts';
import { meQuery, onSignedOut, usePerson } from '../session/session.ts';
import { ErrorAlert, NotFoundPage, PageHeader } from '../shared/page.tsx';
import { Waiting } from '../shared/waiting.tsx';
import { readInvitation, readSignInSearch } from '../sign-in/sign-in-search.ts';
import { queryClient } from './query-client.ts';
import { Shell } from './shell/shell.tsx';

interface RouterContext {
  readonly queryClient: QueryClient;
}

/** What every address may carry. */
interface RootSearch {
  /** The slug of the tenant in use. */
  readonly tenant?: string;
}

const rootRoute = createRootRouteWithContext<RouterContext>()({
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
const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const me = await context.queryClient.ensureQueryData(meQuery);
    if (!me) throw redirect({ to: '/admin/sign-in', search: { back: location.href } });
    // The page does not wait for this: if the session has ended meanwhile, `onSignedOut` leads away from it.
    void context.queryClient.prefetchQuery({ ...meQuery, staleTime: RECHECK_MS });
  },
  component: SignedIn,
});

/** A session may end before the sign-in page is loaded: meanwhile, no page is shown that needs a person. */
function SignedIn() {
  return usePerson() ? <Outlet /> : <Waiting />;
}

/** What a page of visitors, too, and a page of people who are signed in have in common. */
const open = <const Path extends string, File extends Pages, Name extends keyof File>(
  path: Path,
  name: Name,
  load: () => Promise<File>,
) => ({ getParentRoute: () => rootRoute, path, component: lazyRouteComponent(load, name) });

const signedIn = <const Path extends string, File extends Pages, Name extends keyof File>(
  path: Path,
  name: Name,
  load: () => Promise<File>,
) => ({ getParentRoute: () => signedInRoute, path, component: lazyRouteComponent(load, name) });

type Pages = Readonly<Record<string, unknown>>;

/** The addresses that visitors may open, too. Each page is a file of its own. */
const openRoutes = [
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
    // For visitors; people who are signed in are led to their overview.
    beforeLoad: async ({ context }) => {
      const me = await context.queryClient.ensureQueryData(meQuery);
      if (me) throw redirect({ to: '/admin/overview' });
    },
    component: lazyRouteComponent(() => import('../home/home-page.tsx'), 'HomePage'),
  }),
  createRoute({
    ...open('/admin/sign-in', 'SignInPage', () => import('../sign-in/sign-in-page.tsx')),
    validateSearch: readSignInSearch,
  }),
  createRoute({
    ...open('/admin/join', 'JoinPage', () => import('../sign-in/join-page.tsx')),
    validateSearch: readInvitation,
  }),
  createRoute({
    ...open('/admin/catalogue', 'CataloguePage', () => import('../catalogue/catalogue-page.tsx')),
    validateSearch: readFilters,
  }),
  createRoute({
    ...open('/admin/catalogue/$tool', 'ToolPage', () => import('../catalogue/tool-page.tsx')),
    validateSearch: readArgs,
  }),
] as const;

const signedInRoutes = [
  createRoute({
    ...signedIn('/admin/overview', 'OverviewPage', () => import('../overview/overview-page.tsx')),
    validateSearch: readOverviewSearch,
  }),
  createRoute(
    signedIn('/admin/connect', 'ConnectPage', () => import('../connect/connect-page.tsx')),
  ),
  createRoute(
    signedIn('/admin/connect/$uid', 'ConsentPage', () => import('../connect/consent-page.tsx')),
  ),
  createRoute(signedIn('/admin/live', 'LivePage', () => import('../live/live-page.tsx'))),
  createRoute({
    ...signedIn('/admin/audit', 'AuditPage', () => import('../audit/audit-page.tsx')),
    validateSearch: decodeSearch,
  }),
  createRoute(signedIn('/admin/apis', 'ApisPage', () => import('../apis/apis-page.tsx'))),
  createRoute(
    signedIn('/admin/apis/register', 'RegisterPage', () => import('../apis/register-page.tsx')),
  ),
  createRoute(
    signedIn('/admin/apis/dataset', 'DatasetPage', () => import('../apis/dataset-page.tsx')),
  ),
  createRoute(signedIn('/admin/apis/jobs/$job', 'JobPage', () => import('../apis/job-page.tsx'))),
  createRoute({
    ...signedIn('/admin/apis/$api', 'ApiPage', () => import('../apis/api-page.tsx')),
    validateSearch: readApiSearch,
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/admin/settings',
    beforeLoad: () => {
      throw redirect({ to: '/admin/settings/keys' });
    },
  }),
  createRoute({
    ...signedIn('/admin/settings/keys', 'KeysPage', () => import('../keys/keys-page.tsx')),
    validateSearch: readKeySearch,
  }),
  createRoute({
    ...signedIn('/admin/settings/keys/$key', 'KeyPage', () => import('../keys/key-page.tsx')),
    validateSearch: readKeyPageSearch,
  }),
  createRoute(
    signedIn('/admin/settings/members', 'MembersPage', () => import('../people/members-page.tsx')),
  ),
  createRoute(
    signedIn(
      '/admin/settings/own-keys',
      'TenantKeysPage',
      () => import('../provider-keys/tenant-keys-page.tsx'),
    ),
  ),
  createRoute(
    signedIn(
      '/admin/settings/provider-keys',
      'ProviderKeysPage',
      () => import('../provider-keys/provider-keys-page.tsx'),
    ),
  ),
  createRoute(
    signedIn('/admin/settings/tenants', 'TenantsPage', () => import('../people/tenants-page.tsx')),
  ),
  createRoute(
    signedIn('/admin/settings/people', 'PeoplePage', () => import('../people/people-page.tsx')),
  ),
  createRoute({
    ...signedIn('/admin/settings/trail', 'TrailPage', () => import('../people/trail-page.tsx')),
    validateSearch: readTrailSearch,
  }),
  createRoute(
    signedIn('/admin/settings/account', 'AccountPage', () => import('../people/account-page.tsx')),
  ),
] as const;

const routeTree = rootRoute.addChildren([
  ...openRoutes,
  signedInRoute.addChildren([...signedInRoutes]),
]);

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  // While the code of a page is on its way.
  defaultPendingComponent: Waiting,
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
  if (queryClient.getQueryData(meQuery.queryKey)) {
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
  }
  queryClient.setQueryData(meQuery.queryKey, null);
  const { pathname, href } = router.state.location;
  const needsPerson = router.state.matches.some(({ routeId }) => routeId === signedInRoute.id);
  if (!needsPerson || pathname === '/admin/sign-in') return;
  // Without a person, the page cannot stay, whatever was entered there.
  void router.navigate({ to: '/admin/sign-in', search: { back: href }, ignoreBlocker: true });
});

/** In place of a page that has thrown. */
function CrashPage({ error }: ErrorComponentProps) {
  const { t } = useTranslation();
  return (
    <Stack align="flex-start">
      <PageHeader title={t('crash.title')} description={t('crash.text')} />
      <ErrorAlert error={error instanceof Error ? error : new Error(String(error))} />
      <Button onClick={() => window.location.reload()}>{t('crash.reload')}</Button>
    </Stack>
  );
}
