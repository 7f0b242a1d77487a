import type { Secret } from '../kernel/secret.ts';
import type { TenantStore } from '../tenants/tenant-store.ts';
import type { ApiKeyStore } from './api-key-store.ts';

/**
 * Sees to it that tenant `default` has a key (contract "Configuration", BOOTSTRAP_API_KEY). Returns a key only when
 * one was made here, which is the one time that its text can be shown.
 */
export async function ensureBootstrapKey(
  tenants: TenantStore,
  keys: ApiKeyStore,
  configured: Secret | undefined,
): Promise<Secret | null> {
  const { id: tenantId } = await tenants.ensure('default');
  if (configured) {
    await keys.ensure({ tenantId, name: 'bootstrap' }, configured);
    return null;
  }
  if ((await keys.list(tenantId)).length > 0) return null;
  const { text } = await keys.create({ tenantId, name: 'bootstrap' });
  return text;
}
