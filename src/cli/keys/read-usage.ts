import type { ApiKeyRecord } from '../../access/keys/api-key-record.ts';
import { KEYS_AT_ONCE, type UsedKey, withUsage } from '../../access/keys/key-hygiene.ts';
import { openKeyUsage } from '../../compose/open-key-usage.ts';
import { readSettings } from '../../platform/config/settings.ts';
import type { Database } from '../../platform/database/database.ts';

/** Adds their usage, which is read by tenant, to keys of any tenants. Their order stays. */
export async function readUsage(
  database: Database,
  keys: readonly ApiKeyRecord[],
): Promise<readonly UsedKey[]> {
  const usage = await openKeyUsage(database, readSettings(process.env).DATA_DIR);
  const used = new Map<ApiKeyRecord, UsedKey>();
  try {
    for (const [tenantId, ofTenant] of Map.groupBy(keys, (key) => key.tenantId)) {
      for (let at = 0; at < ofTenant.length; at += KEYS_AT_ONCE) {
        const some = ofTenant.slice(at, at + KEYS_AT_ONCE);
        for (const each of await withUsage(usage, tenantId, some)) used.set(each.key, each);
      }
    }
  } finally {
    await usage.close();
  }
  return keys.flatMap((key) => used.get(key) ?? []);
}
