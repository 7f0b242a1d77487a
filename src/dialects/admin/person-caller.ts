import type { Caller } from '../../access/keys/caller.ts';
import type { TenantContext } from './admin-route.ts';

/** The caller of the tools that a person sees and runs: all of the tenant, recorded under the person's id. */
export const personCaller = ({
  tenant,
  person,
}: Pick<TenantContext, 'tenant' | 'person'>): Caller => ({
  tenantId: tenant.id,
  tenantSlug: tenant.slug,
  apiKeyId: person.id,
  allowedTools: null,
});
