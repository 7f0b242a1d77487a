import type { Kysely } from 'kysely';
import type { Settings } from '../../platform/config/settings.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isoTime } from '../../platform/kernel/time.ts';
import { type Change, nextVersion } from '../trail/change-version.ts';

/** `search`: only the tools that search for the others are listed (docs/contract.md#own-tools). */
export type KeyMode = 'search';

/** Members of a key that may be chosen; absent ones keep their value. */
export interface KeyChange {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly allowedTools?: readonly string[] | null | undefined;
  readonly mode?: KeyMode | null | undefined;
  readonly rateLimitPerMinute?: number | null | undefined;
  readonly dailyLimit?: number | null | undefined;
  readonly expiresAtMs?: number | null | undefined;
}

/** Set by the store itself, from who gives the limit. */
export interface GivenLimit {
  readonly operatorRateLimit?: number | null | undefined;
}

/** The columns of the chosen members; those that are undefined keep their values. */
export const columnsOf = (key: KeyChange & GivenLimit) => ({
  name: key.name?.trim(),
  description: key.description === undefined ? undefined : key.description?.trim() || null,
  allowed_tools: key.allowedTools && JSON.stringify(key.allowedTools),
  mode: key.mode,
  rate_limit_per_minute: key.rateLimitPerMinute,
  operator_rate_limit: key.operatorRateLimit,
  daily_limit: key.dailyLimit,
  expires_at_ms: key.expiresAtMs,
});

export const MAX_NAME = 100;
export const MAX_KEY_DESCRIPTION = 500;
/** Entries of a list of allowed tools, and characters of each: an id of a registered tool fits. */
export const MAX_ALLOWED_TOOLS = 200;
export const MAX_ALLOWED_TOOL = 200;
export const MAX_RATE_LIMIT = 1_000_000;
export const MAX_DAILY_LIMIT = 1_000_000_000;

/** Throws `invalid_arguments` if a member is not within its bounds. */
export function checkApiKey(key: KeyChange): void {
  const { name, description, allowedTools, rateLimitPerMinute, dailyLimit } = key;
  if (name !== undefined && (name.trim() === '' || name.length > MAX_NAME)) {
    throw invalid(`The name of an API key has 1 to ${MAX_NAME} characters.`);
  }
  if (description && description.length > MAX_KEY_DESCRIPTION) {
    throw invalid(`The description of an API key has at most ${MAX_KEY_DESCRIPTION} characters.`);
  }
  if (allowedTools) checkAllowedTools(allowedTools);
  checkLimit('rate limit', rateLimitPerMinute, MAX_RATE_LIMIT);
  checkLimit('daily limit', dailyLimit, MAX_DAILY_LIMIT);
}

function checkAllowedTools(tools: readonly string[]): void {
  if (tools.length > MAX_ALLOWED_TOOLS) {
    throw invalid(
      `A list of allowed tools has at most ${MAX_ALLOWED_TOOLS} entries. Use categories or patterns such as kma_*.`,
    );
  }
  if (tools.some((tool) => tool === '' || tool.length > MAX_ALLOWED_TOOL)) {
    throw invalid(`An entry of allowed tools has 1 to ${MAX_ALLOWED_TOOL} characters.`);
  }
}

function checkLimit(what: string, limit: number | null | undefined, max: number): void {
  if (limit === null || limit === undefined) return;
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= max) return;
  throw invalid(
    `The ${what} of an API key is a whole number from 1 to ${max.toLocaleString('en')}. Omit it for no limit of its own.`,
  );
}

/** The limits per minute that apply to all keys. */
export interface RateLimits {
  /** Of a key without one of its own, and the most that a tenant's admin may give a key; 0 = no limit. */
  readonly keyPerMinute: number;
  /** Of all keys of a tenant together; 0 = no limit. */
  readonly tenantPerMinute: number;
}

export const rateLimitsOf = ({
  RATE_LIMIT_PER_MINUTE: keyPerMinute,
  TENANT_RATE_LIMIT_PER_MINUTE: tenantPerMinute = 10 * keyPerMinute,
}: Pick<Settings, 'RATE_LIMIT_PER_MINUTE' | 'TENANT_RATE_LIMIT_PER_MINUTE'>): RateLimits => ({
  keyPerMinute,
  tenantPerMinute,
});

/** Who gives limits to keys: by default, the admin of a tenant. */
export interface LimitGiver {
  /** Whether the actor is an operator, who may give any limit. */
  readonly isOperator?: boolean;
  /** The most that the admin of a tenant may give a key, unless an operator gave it more; 0 or undefined = any. */
  readonly rateLimitCap?: number;
}

interface OwnLimit {
  readonly rateLimitPerMinute: number | null;
  readonly operatorRateLimit: number | null;
}

/** Null = the gateway's setting. */
export const cappedRateLimit = (
  { rateLimitPerMinute: limit, operatorRateLimit }: OwnLimit,
  cap: number,
): number | null =>
  limit === null || cap === 0 ? limit : Math.min(limit, Math.max(cap, operatorRateLimit ?? 0));

/** What a key may send in a minute at most; null = no limit. */
export function effectiveRateLimit(key: OwnLimit, limits: RateLimits): number | null {
  const own = cappedRateLimit(key, limits.keyPerMinute) ?? limits.keyPerMinute;
  const least = Math.min(
    own || Number.POSITIVE_INFINITY,
    limits.tenantPerMinute || Number.POSITIVE_INFINITY,
  );
  return least === Number.POSITIVE_INFINITY ? null : least;
}

/** What to store with a chosen limit. Throws `invalid_arguments` if the actor may not give as much. */
export function giveRateLimit(
  { isOperator = false, rateLimitCap = 0 }: LimitGiver,
  { rateLimitPerMinute: limit }: KeyChange,
  before?: OwnLimit,
): GivenLimit {
  if (limit === undefined) return {};
  if (isOperator) return { operatorRateLimit: limit };
  const most = Math.max(rateLimitCap, before?.operatorRateLimit ?? 0);
  const isAllowed = rateLimitCap === 0 || limit === null || limit <= most;
  // A form sends what it was given, also a limit that is capped.
  if (isAllowed || limit === before?.rateLimitPerMinute) return {};
  throw invalid(
    `The admins of a tenant may give this API key at most ${most.toLocaleString('en')} requests per minute. Choose a lower limit, or ask an operator of the gateway, who may give more.`,
  );
}

/** What a person let a host do. */
export interface Granted {
  readonly kind: 'oauth' | 'external' | null;
  readonly allowedTools: readonly string[] | null;
  readonly dailyLimit: number | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

/**
 * Throws `invalid_arguments` for a change that lets a host do more than the person chose, or for longer than a person may
 * choose: the admins of the tenant can only take from it.
 */
export function assertWithinGrant(before: Granted, change: KeyChange, grantMs: number): void {
  if (before.kind !== 'oauth') return;
  const { allowedTools: tools, dailyLimit, expiresAtMs } = change;
  const latestMs = Math.max(before.expiresAtMs ?? 0, before.createdAtMs + grantMs);
  const isWithin =
    (tools === undefined || isPartOf(tools, before.allowedTools)) &&
    (dailyLimit === undefined || orUnlimited(dailyLimit) <= orUnlimited(before.dailyLimit)) &&
    (expiresAtMs === undefined || orUnlimited(expiresAtMs) <= latestMs);
  if (isWithin) return;
  throw invalid(
    `A person has connected this app. Take tools from its list, lower its daily limit, or let it end by ${isoTime(latestMs)}. Only the person can give it more, by connecting it again.`,
  );
}

const orUnlimited = (limit: number | null): number => limit ?? Number.POSITIVE_INFINITY;

/** Compares entries as they are written: what a pattern selects changes. */
const isPartOf = (tools: readonly string[] | null, whole: readonly string[] | null): boolean =>
  whole === null || (tools?.every((tool) => whole.includes(tool)) ?? false);

const invalid = (message: string): GatewayError => new GatewayError('invalid_arguments', message);

/** Grants of these people that work, in any tenant or in one. */
const grantsOf = (
  db: Kysely<Tables>,
  personIds: readonly string[],
  tenantId: string | undefined,
) => {
  const grants = db
    .selectFrom('api_keys')
    .select('id')
    .where('owner', 'in', personIds)
    .where('kind', 'is not', null)
    .where('revoked_at_ms', 'is', null);
  return tenantId === undefined ? grants : grants.where('tenant_id', '=', tenantId);
};

/**
 * Ends what people let hosts do, in the transaction that takes their role from them. Locks the counter of keys first: a grant
 * that is being created has committed by then, or finds that the person is no member.
 */
export async function endGrants(
  { db, nowMs, append }: Change,
  { personIds, tenantId }: { personIds: readonly string[]; tenantId?: string },
  actor: string,
): Promise<void> {
  if (personIds.length === 0) return;
  const version = await nextVersion(db, 'api_keys');
  const { numUpdatedRows } = await db
    .updateTable('api_keys')
    .set((row) => ({
      revoked_at_ms: nowMs,
      changed_version: version,
      revision: row('revision', '+', 1),
    }))
    .where('id', 'in', grantsOf(db, personIds, tenantId))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  const details = { ended: Number(numUpdatedRows) };
  for (const personId of personIds) {
    await append(actor, 'app.disconnected', personId, { tenantId: tenantId ?? null, details });
  }
}
