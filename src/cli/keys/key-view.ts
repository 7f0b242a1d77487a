import { type ApiKeyRecord, keyStateOf } from '../../access/keys/api-key-record.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { isoTime, isoTimeOrNull } from '../../platform/kernel/iso-time.ts';

/** An API key as `--json` prints it (docs/contract.md#command-line). Never contains its text. */
export const viewKey = (key: ApiKeyRecord) => ({
  id: key.id,
  tenant: key.tenantSlug,
  name: key.name,
  description: key.description,
  prefix: key.prefix,
  state: keyStateOf(key, systemClock.now()),
  owner: key.owner,
  allowedTools: key.allowedTools,
  mode: key.mode,
  rateLimitPerMinute: key.rateLimitPerMinute,
  dailyLimit: key.dailyLimit,
  createdAt: isoTime(key.createdAtMs),
  expiresAt: isoTimeOrNull(key.expiresAtMs),
  revokedAt: isoTimeOrNull(key.revokedAtMs),
  rotatedFrom: key.rotatedFrom,
  rotatedTo: key.rotatedTo,
});
