import { type ApiKeyRecord, keyStateOf } from '../../access/keys/api-key-record.ts';
import { effectiveRateLimit, rateLimitsOf } from '../../access/keys/rate-limit-cap.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { isoTime, isoTimeOrNull } from '../../platform/kernel/iso-time.ts';

/** What `--json` prints of an API key (docs/contract.md#command-line), with its limit under the settings of the command. */
export function createKeyView() {
  const rateLimits = rateLimitsOf(readSettings(process.env));
  /** Never contains its text. */
  return (key: ApiKeyRecord) => ({
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
    effectiveRateLimitPerMinute: effectiveRateLimit(key, rateLimits),
    dailyLimit: key.dailyLimit,
    createdAt: isoTime(key.createdAtMs),
    expiresAt: isoTimeOrNull(key.expiresAtMs),
    revokedAt: isoTimeOrNull(key.revokedAtMs),
    rotatedFrom: key.rotatedFrom,
    rotatedTo: key.rotatedTo,
  });
}
