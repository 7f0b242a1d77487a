import type { Person } from '../../access/people/person.ts';
import type { Tenant } from '../../access/tenants/tenant-store.ts';
import type {
  OperationAccess,
  OperationContext,
  TenantOperationContext,
} from '../../platform/input/operation.ts';
import type { Caller, KeyAuthority } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';

export interface AuthorityDeps {
  readonly findPerson: (id: string) => Promise<Person | undefined>;
  readonly findTenant: (slug: string) => Promise<Tenant | undefined>;
}

/** Stands in a path for the tenant of the key. No slug is like it. */
export const OWN_TENANT = '_';

/** Admits the caller to an operation; `tenantInPath` is the slug of the tenant in its path, if it has one. */
export type Authorise = (
  caller: Caller,
  access: OperationAccess,
  tenantInPath: string | undefined,
) => Promise<OperationContext | TenantOperationContext>;

/**
 * What keys with a scope may do. Rejects with `forbidden` for a key without the scope or an owner who has lost the role, and
 * with `not_found` for a tenant that the key does not manage.
 */
export const createAuthorise =
  ({ findPerson, findTenant }: AuthorityDeps): Authorise =>
  async (caller, access, tenantInPath) => {
    const { authority } = caller;
    if (!authority) throw forbidden(NO_SCOPE);
    if (caller.allowedTools !== null) throw forbidden(NOT_NARROW);
    const isOperator = authority.scope === 'operator';
    if (access === 'operator' && !isOperator)
      throw forbidden('This needs a key with the scope operator.');
    await assertOwner(findPerson, authority, caller.tenantId);
    const { owner } = authority;
    const key = caller.apiKeyId;
    const actor = isMachine(owner)
      ? { id: key, owner, key, isOperator }
      : { id: owner, key, isOperator };
    const context = { actor };
    if (tenantInPath === undefined) return context;
    const slug = tenantInPath === OWN_TENANT ? caller.tenantSlug : tenantInPath;
    const isManaged = isOperator || slug === caller.tenantSlug;
    const tenant = isManaged ? await findTenant(slug) : undefined;
    if (tenant) return { ...context, tenant };
    throw new GatewayError('not_found', 'This key manages no tenant with this name.');
  };

const NOT_NARROW =
  'This API key has a list of allowed tools, so it cannot manage anything. Use an unrestricted key.';

const NO_SCOPE =
  'This API key has no scope for management. Create one with the scope admin or operator.';

/** Owners of the keys that the command line and the start create. */
const isMachine = (owner: string): boolean => owner === 'cli' || owner === 'start';

/** A key ends with the role of its owner. Those of the command line belong to the machine. */
async function assertOwner(
  findPerson: AuthorityDeps['findPerson'],
  { owner, scope }: KeyAuthority,
  tenantId: string,
): Promise<void> {
  if (isMachine(owner)) return;
  const person = await findPerson(owner);
  const isAdmin = person?.memberships.some(
    (membership) => membership.tenantId === tenantId && membership.role === 'admin',
  );
  if (person?.isOperator || (scope === 'admin' && isAdmin)) return;
  throw forbidden(
    `The owner of this API key no longer has the role that its scope ${scope} needs.`,
  );
}

const forbidden = (message: string): GatewayError => new GatewayError('forbidden', message);
