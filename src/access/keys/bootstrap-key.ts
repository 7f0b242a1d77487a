import type { Secret } from '../../platform/kernel/secret.ts';
import type { TenantStore } from '../tenants/tenant-store.ts';
import type { ApiKeyStore } from './api-key-store.ts';

/** Gives tenant `default` the configured key (BOOTSTRAP_API_KEY, docs/contract.md#configuration). */
export async function ensureBootstrapKey(
  tenants: TenantStore,
  keys: ApiKeyStore,
  configured: Secret,
): Promise<void> {
  const { id: tenantId } = await tenants.ensure('default');
  await keys.ensure({ tenantId, name: 'bootstrap' }, configured);
}

/** Creates a key for tenant `default` unless it has one. Returns its text, which can be shown only now, or null. */
export async function createFirstKey(
  tenants: TenantStore,
  keys: ApiKeyStore,
): Promise<Secret | null> {
  const { id: tenantId } = await tenants.ensure('default');
  if ((await keys.list({ tenantId, limit: 1 })).length > 0) return null;
  const { text } = await keys.create({ tenantId, name: 'bootstrap' });
  return text;
}
