import type { Secret } from '../../platform/kernel/secret.ts';
import type { TenantStore } from '../tenants/tenant-store.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import { digestOf } from './key-text.ts';

/** Gives tenant `default` the configured key (BOOTSTRAP_API_KEY, docs/contract.md#configuration). */
export async function ensureBootstrapKey(
  tenants: TenantStore,
  keys: ApiKeyStore,
  configured: Secret,
): Promise<void> {
  const { id: tenantId } = await tenants.ensure('default');
  await keys.ensure({ tenantId, name: 'bootstrap' }, configured);
}

/**
 * Creates a key with this text for tenant `default` unless it has another. Returns whether it did, also in an earlier attempt
 * whose outcome was lost with the connection to the database.
 */
export async function createFirstKey(
  tenants: TenantStore,
  keys: ApiKeyStore,
  text: Secret,
): Promise<boolean> {
  const { id: tenantId } = await tenants.ensure('default');
  const [newest] = await keys.list({ tenantId, limit: 1 });
  if (newest) return newest.id === (await keys.findByDigest(digestOf(text.reveal())))?.id;
  await keys.ensure({ tenantId, name: 'bootstrap' }, text);
  return true;
}
