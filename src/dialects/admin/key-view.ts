import { type ApiKeyRecord, keyStateOf } from '../../access/keys/api-key-record.ts';
import { concernsOf, type UsedKey } from '../../access/keys/key-hygiene.ts';
import { effectiveRateLimit, type RateLimits } from '../../access/keys/rate-limit-cap.ts';
import { isoTime, isoTimeOrNull } from '../../platform/kernel/iso-time.ts';

/** Names of people and other owners, by id. */
export type OwnerNames = ReadonlyMap<string, string>;

interface ViewContext {
  readonly names: OwnerNames;
  readonly rateLimits: RateLimits;
  readonly nowMs: number;
}

/** A key as the dashboard shows it. Never contains its text. */
export function viewKey({ key, usage }: UsedKey, { names, rateLimits, nowMs }: ViewContext) {
  const state = keyStateOf(key, nowMs);
  return {
    id: key.id,
    name: key.name,
    description: key.description,
    prefix: key.prefix,
    owner: ownerOf(key, names),
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
    revision: key.revision,
    state,
    lastUsedAt: isoTimeOrNull(usage.lastUsedAtMs),
    callsToday: usage.callsToday,
    failuresToday: usage.failuresToday,
    concerns: state === 'active' ? concernsOf({ key, usage }, nowMs) : [],
  };
}

const ownerOf = ({ owner }: ApiKeyRecord, names: OwnerNames) =>
  owner === null ? null : { id: owner, name: names.get(owner) ?? null };
