import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../app/root-route.ts';

export interface SignInSearch {
  /** The address to return to after signing in. */
  readonly back?: string;
  /** Why the identity provider did not sign the person in. */
  readonly error?: string;
}

const MAX_TEXT = 2000;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= MAX_TEXT ? value : undefined;

export const signInRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/admin/sign-in',
    validateSearch: (search: Record<string, unknown>): SignInSearch => {
      const [back, error] = [text(search['back']), text(search['error'])];
      return { ...(back && { back }), ...(error && { error }) };
    },
    component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/admin/join',
    validateSearch: ({ token }: Record<string, unknown>): { token: string } => ({
      token: text(token) ?? '',
    }),
    component: lazyRouteComponent(() => import('./join-page.tsx'), 'JoinPage'),
  }),
] as const;
