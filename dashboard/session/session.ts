import { queryOptions, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import { readChoice, rememberChoice } from '../texts/language.ts';

/** What this gateway is: version, address and counts. */
export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: ask('GET /home', {}),
  staleTime: 5 * 60_000,
});

/** What the gateway says about who is signed in. */
export type Me = AdminAnswer<'GET /me'>;

/** Null: not signed in. A visitor's question is no failure, which browsers would print. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }): Promise<Me | null> => {
    const { person } = await callAdmin('GET /session', {}, { signal });
    if (person) return { person };
    reportSignedOut();
    return null;
  },
  staleTime: 60_000,
});

/** Who is signed in; null for a visitor, and while nothing is known yet. */
export const usePerson = (): Me['person'] | null => useQuery(meQuery).data?.person ?? null;

/** Listeners that learn when the gateway has answered 401: the session has expired or was closed elsewhere. */
const listeners = new Set<() => void>();

export function reportSignedOut(): void {
  for (const listener of listeners) listener();
}

/** Returns the function that removes the listener. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

interface TenantInUse {
  readonly slug: string;
  readonly name: string;
  /** Whether the person may change things: admins of the tenant, and operators. */
  readonly canChange: boolean;
}

const STORAGE_KEY = 'tool-gateway-tenant';

/**
 * The tenant that `?tenant=` names; else the tenant last chosen on this device; else the first. Null for
 * visitors, and for people without a tenant. Operators may name any tenant.
 */
export function useTenantInUse(): TenantInUse | null {
  const { tenant } = useSearch({ strict: false });
  return chooseTenant(usePerson(), tenant ?? null, readChoice(STORAGE_KEY));
}

/** For pages of people who are signed in and have a tenant; the shell shows no other page without one. */
export function useTenant(): TenantInUse {
  const tenant = useTenantInUse();
  if (!tenant) throw new Error('This page needs a tenant.');
  return tenant;
}

function chooseTenant(
  person: Me['person'] | null,
  named: string | null,
  chosen: string | null,
): TenantInUse | null {
  if (!person) return null;
  const { memberships, isOperator } = person;
  const of = (slug: string | null) => memberships.find(({ tenantSlug }) => tenantSlug === slug);
  if (named && !of(named) && isOperator) return { slug: named, name: named, canChange: true };
  const membership = of(named) ?? of(chosen) ?? memberships[0];
  if (!membership) return null;
  const { tenantSlug, tenantName, role } = membership;
  return { slug: tenantSlug, name: tenantName, canChange: isOperator || role === 'admin' };
}

export const rememberTenant = (slug: string): void => rememberChoice(STORAGE_KEY, slug);
