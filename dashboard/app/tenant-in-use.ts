import { useSearch } from '@tanstack/react-router';
import type { Me } from './session.ts';
import { usePerson } from './session.ts';

export interface TenantInUse {
  readonly slug: string;
  readonly name: string;
  /** Whether the person may change things: admins of the tenant, and operators. */
  readonly canChange: boolean;
}

const STORAGE_KEY = 'tool-gateway-tenant';

/**
 * The tenant that `?tenant=` names; else the one that was chosen last on this device; else the first. Null for
 * visitors, and for people without a tenant. Operators may name any tenant.
 */
export function useTenantInUse(): TenantInUse | null {
  const { tenant } = useSearch({ strict: false });
  return chooseTenant(usePerson(), tenant ?? null, readChoice());
}

/** For pages of people who are signed in and have a tenant; the shell shows no other page without one. */
export function useTenant(): TenantInUse {
  const tenant = useTenantInUse();
  if (!tenant) throw new Error('This page needs a tenant.');
  return tenant;
}

export function chooseTenant(
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

export function rememberTenant(slug: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, slug);
  } catch {
    // A browser without storage starts with the first tenant.
  }
}

function readChoice(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}
