import type { IdentifiedSession, MemberRole, Person } from '../../access/people/person.ts';
import type { Tenant } from '../../access/tenants/tenant-store.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { AdminAccess } from './admin-route.ts';

/** The value of the header `Cookie`, as the server passes it on. */
type CookieHeader = string | string[] | undefined;

export interface AuthoriseDeps {
  /** The person of a request's cookies; undefined without a valid session. */
  readonly identify: (cookie: CookieHeader) => Promise<IdentifiedSession | undefined>;
  readonly findTenant: FindTenant;
}

export type FindTenant = (slug: string) => Promise<Tenant | undefined>;

/** Who makes a request, and in which tenant. */
export interface Admitted {
  readonly identity: IdentifiedSession | undefined;
  readonly tenant?: Pick<Tenant, 'id' | 'slug' | 'name'>;
  readonly role?: MemberRole;
}

/**
 * Admits a request to a route, or rejects: `unauthenticated` without a session, `not_found` for a tenant that the person does
 * not belong to, `forbidden` without the role. A person who cannot see a tenant cannot learn that it exists.
 */
export async function authorise(
  { identify, findTenant }: AuthoriseDeps,
  access: AdminAccess,
  request: { readonly cookie: CookieHeader; readonly tenantSlug: string | undefined },
): Promise<Admitted> {
  const identity = await identify(request.cookie);
  if (access === 'public') return { identity };
  if (!identity) throw new GatewayError('unauthenticated', 'Sign in to continue.');
  const { person } = identity;
  if (access === 'person') return { identity };
  if (access === 'operator' && !person.isOperator)
    throw new GatewayError('forbidden', 'Only an operator of the gateway may do this.');
  const slug = request.tenantSlug;
  if (slug === undefined) return { identity };
  const membership = await tenantOf(person, slug, findTenant);
  if (access === 'admin' && membership.role !== 'admin') {
    throw new GatewayError('forbidden', 'Only an admin of the tenant may do this.');
  }
  return { identity, ...membership };
}

/** A tenant in which a person acts, and as what. Rejects with `not_found`. */
export async function tenantOf(
  person: Person,
  slug: string,
  findTenant: FindTenant,
): Promise<TenantRole> {
  const found = membershipIn(person, slug) ?? (await ofOperator(person, slug, findTenant));
  if (found) return found;
  throw new GatewayError('not_found', 'You have no tenant with this name.');
}

type TenantRole = Required<Pick<Admitted, 'tenant' | 'role'>>;

function membershipIn({ memberships, isOperator }: Person, slug: string): TenantRole | undefined {
  const found = memberships.find(({ tenantSlug }) => tenantSlug === slug);
  if (!found) return undefined;
  const tenant = { id: found.tenantId, slug: found.tenantSlug, name: found.tenantName };
  return { tenant, role: isOperator ? 'admin' : found.role };
}

async function ofOperator(
  { isOperator }: Person,
  slug: string,
  findTenant: AuthoriseDeps['findTenant'],
): Promise<TenantRole | undefined> {
  const tenant = isOperator ? await findTenant(slug) : undefined;
  return tenant && { tenant, role: 'admin' };
}
