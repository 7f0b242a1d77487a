import { type Static, Type } from 'typebox';
import {
  type Actor,
  type TenantOperationContext,
  tenantOperation,
} from '../../platform/input/operation.ts';
import { INTEGER, list, NEXT_CURSOR, orNull, TEXT, TIME } from '../../platform/input/schema.ts';
import type { KeyScope } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isPersonId } from '../../platform/kernel/ids.ts';
import { type Clock, isoTime, isoTimeOrNull } from '../../platform/kernel/time.ts';
import { type ApiKeyRecord, keyStateOf } from './api-key-record.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import {
  effectiveRateLimit,
  type KeyChange,
  MAX_ALLOWED_TOOL,
  MAX_ALLOWED_TOOLS,
  MAX_DAILY_LIMIT,
  MAX_KEY_DESCRIPTION,
  MAX_NAME,
  MAX_RATE_LIMIT,
  type RateLimits,
} from './key-change.ts';
import {
  concernsOf,
  countConcerns,
  KEY_CONCERNS,
  KEY_ORDERS,
  type KeyUsageSource,
  listUsedKeys,
  type UsedKey,
  withUsage,
} from './key-hygiene.ts';

/** Names of people, by id; those who are unknown are absent. */
type OwnerNames = ReadonlyMap<string, string>;

export interface KeyOperationsDeps {
  /** The store in which this person acts. */
  readonly keysOf: (actor: Actor) => ApiKeyStore;
  readonly rateLimits: RateLimits;
  readonly usage: KeyUsageSource;
  readonly ownerNames: (personIds: readonly string[]) => Promise<OwnerNames>;
  readonly clock: Clock;
  /** Reads changes of keys, so that they apply at once where they were made. */
  readonly onChanged: () => Promise<void>;
}

const KEY_ID = Type.String({ maxLength: 100, description: 'Id of the key.' });
const REVISION = Type.Integer({
  minimum: 1,
  description: '`revision` of the key as you read it: a key that was changed meanwhile is refused.',
});

export const ALLOWED_TOOLS = orNull(
  list(Type.String({ minLength: 1, maxLength: MAX_ALLOWED_TOOL }), MAX_ALLOWED_TOOLS),
);

const NAME = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  description: 'What the key is for.',
});

const limit = (maximum: number, description: string) =>
  Type.Optional(orNull(Type.Integer({ minimum: 1, maximum, description })));

const CHOSEN = {
  description: Type.Optional(
    orNull(
      Type.String({ maxLength: MAX_KEY_DESCRIPTION, description: 'What to remember about it.' }),
    ),
  ),
  allowedTools: Type.Optional({
    ...ALLOWED_TOOLS,
    description:
      'Names, patterns such as `kma_*`, or `category:weather`; null = all tools of the tenant.',
  }),
  mode: Type.Optional(
    Type.Unsafe<'search' | null>({
      enum: ['search', null],
      description: '`search`: list only the tools that find the others; null = list all tools.',
    }),
  ),
  rateLimitPerMinute: limit(MAX_RATE_LIMIT, "Requests per minute; null = the gateway's limit."),
  dailyLimit: limit(
    MAX_DAILY_LIMIT,
    'Requests per day, which begins at midnight in Seoul; null = no limit.',
  ),
  expiresAt: Type.Optional(
    orNull(
      Type.String({
        format: 'date-time',
        maxLength: 40,
        description: 'When it ends; null = no expiry.',
      }),
    ),
  ),
};

const OVERLAP_HOURS = Type.Integer({
  minimum: 0,
  maximum: 168,
  default: 24,
  description: 'Hours for which the old key still works.',
});

const SCOPE = Type.Optional(
  Type.Enum(['admin', 'operator'], {
    description:
      'What the key may manage: `admin` its tenant, `operator` the gateway. Without it, nothing. Only operators give `operator`.',
  }),
);

/** An API key as people and programs see it. It never has its text. */
const KEY = Type.Object(
  {
    id: TEXT,
    tenant: Type.String({ description: 'Slug of its tenant.' }),
    name: TEXT,
    description: orNull(TEXT),
    prefix: Type.String({ description: 'The first characters of the key.' }),
    owner: Type.Unsafe<{ readonly id: string; readonly name: string | null } | null>({
      type: ['object', 'null'],
      properties: { id: { type: 'string' }, name: { type: ['string', 'null'] } },
      required: ['id', 'name'],
    }),
    allowedTools: orNull(list(TEXT)),
    mode: Type.Unsafe<'search' | null>({ enum: ['search', null] }),
    scope: Type.Unsafe<KeyScope | null>({ enum: ['admin', 'operator', null] }),
    rateLimitPerMinute: orNull(INTEGER),
    effectiveRateLimitPerMinute: orNull(
      Type.Integer({ description: 'With the limits of the gateway and of the tenant.' }),
    ),
    dailyLimit: orNull(INTEGER),
    createdAt: TIME,
    expiresAt: orNull(TIME),
    revokedAt: orNull(TIME),
    rotatedFrom: orNull(TEXT),
    rotatedTo: orNull(TEXT),
    kind: Type.Enum(['api', 'oauth', 'external'], {
      description:
        '`oauth`: what a person lets a host do. `external`: a subject of another authorization server. Neither has a text.',
    }),
    client: orNull(Type.String({ description: 'What the host of a grant calls itself.' })),
    revision: INTEGER,
    state: Type.Enum(['active', 'expired', 'revoked']),
    lastUsedAt: orNull(TIME),
    callsToday: Type.Integer({ description: 'Since midnight in Seoul.' }),
    failuresToday: INTEGER,
    refusedToday: Type.Integer({
      description: 'Requests that were refused before they became calls.',
    }),
    concerns: list(Type.Enum([...KEY_CONCERNS])),
  },
  { $id: 'ApiKey' },
);

const KEY_TEXT = Type.String({ description: 'The key itself. It is never shown again.' });

const HOUR_MS = 60 * 60 * 1000;

/** API keys: members of a tenant see them, its admins create and change them. */
export const createKeyOperations = (deps: KeyOperationsDeps) => {
  const view = createView(deps);
  return { ...readOperations(deps, view), ...changeOperations(deps, view) };
};

type KeyView = ReturnType<typeof createView>;

const readOperations = ({ keysOf, usage, clock }: KeyOperationsDeps, view: KeyView) => {
  const hygieneOf = (actor: Actor) => ({ store: keysOf(actor), usage, now: clock.now });
  return {
    'GET /tenants/:tenant/keys': tenantOperation('viewer', {
      name: 'keys list',
      summary: 'List the API keys of a tenant, newest first unless another order is named.',
      input: {
        cursor: Type.Optional(KEY_ID),
        limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
        q: Type.Optional(
          Type.String({ maxLength: 100, description: 'Part of the name or of the description.' }),
        ),
        state: Type.Optional(Type.Enum(['active', 'expired', 'revoked'])),
        concern: Type.Optional(Type.Enum([...KEY_CONCERNS])),
        order: Type.Optional(
          Type.Enum([...KEY_ORDERS], {
            description: 'By name, last use or calls of today; by default, newest first.',
          }),
        ),
      },
      output: Type.Object({ keys: list(KEY), nextCursor: NEXT_CURSOR }),
      handle: async ({ tenant, actor }, { cursor, limit: most, q, state, ...options }) => {
        const text = q?.trim() || undefined;
        const query = { tenantId: tenant.id, after: cursor, limit: most + 1, text, state };
        const found = await listUsedKeys(hygieneOf(actor), query, options);
        const keys = found.slice(0, most);
        const nextCursor = found.length > most ? (keys.at(-1)?.key.id ?? null) : null;
        return { keys: await view.all(keys), nextCursor };
      },
    }),
    'GET /tenants/:tenant/keys/hygiene': tenantOperation('viewer', {
      name: 'keys hygiene',
      summary: 'Count the active API keys of a tenant, and those that are worth a look.',
      input: {},
      output: Type.Object({
        active: INTEGER,
        never_used: INTEGER,
        unused_90_days: INTEGER,
        unlimited: INTEGER,
        no_expiry: INTEGER,
        all_tools: INTEGER,
      }),
      handle: ({ tenant, actor }) => countConcerns(hygieneOf(actor), tenant.id),
    }),
    'GET /tenants/:tenant/keys/:id': tenantOperation('viewer', {
      name: 'keys show',
      summary: 'Show an API key, without its text.',
      input: { id: KEY_ID },
      output: KEY,
      handle: async ({ tenant, actor }, { id }) =>
        view(await keysOf(actor).find({ id, tenantId: tenant.id })),
    }),
  };
};

const target = ({ tenant }: TenantOperationContext, id: string, revision?: number) => ({
  id,
  tenantId: tenant.id,
  revision,
});

const changeOperations = ({ keysOf, clock, onChanged }: KeyOperationsDeps, view: KeyView) => {
  const changed = async (key: ApiKeyRecord) => {
    await onChanged();
    return view.changed(key);
  };
  return {
    'POST /tenants/:tenant/keys': tenantOperation('admin', {
      name: 'keys create',
      summary: 'Create an API key. The response has its text, this one time.',
      trail: 'key.created',
      input: { name: NAME, ...CHOSEN, scope: SCOPE },
      output: Type.Object({ key: KEY, text: KEY_TEXT }),
      example: { name: 'night report', allowedTools: ['kma_*'], dailyLimit: 5000 },
      returnsSecret: true,
      handle: async ({ tenant, actor }, input) => {
        const { record, text } = await keysOf(actor).create({
          ...keyChangeOf(input, clock.now()),
          tenantId: tenant.id,
          name: input.name,
          scope: input.scope,
        });
        return { key: await changed(record), text: text.reveal() };
      },
    }),
    'PATCH /tenants/:tenant/keys/:id': tenantOperation('admin', {
      name: 'keys change',
      summary: 'Change an API key. Members that are absent keep their value.',
      trail: 'key.changed',
      input: { id: KEY_ID, revision: REVISION, name: Type.Optional(NAME), ...CHOSEN },
      output: KEY,
      example: { revision: 1, dailyLimit: 5000, expiresAt: null },
      handle: async (context, { id, revision, ...input }) =>
        changed(
          await keysOf(context.actor).change(
            target(context, id, revision),
            keyChangeOf(input, clock.now()),
          ),
        ),
    }),
    'POST /tenants/:tenant/keys/:id/rotate': tenantOperation('admin', {
      name: 'keys rotate',
      summary: 'Replace an API key by one with a new text. The old one ends after an overlap.',
      trail: 'key.rotated',
      input: {
        id: KEY_ID,
        revision: REVISION,
        overlapHours: OVERLAP_HOURS,
      },
      output: Type.Object({ key: KEY, replaced: KEY, text: KEY_TEXT }),
      example: { revision: 1, overlapHours: 24 },
      returnsSecret: true,
      handle: async (context, { id, revision, overlapHours }) => {
        const rotation = await keysOf(context.actor).rotate(
          target(context, id, revision),
          overlapHours * HOUR_MS,
        );
        const replaced = await changed(rotation.replaced);
        return { key: await view.changed(rotation.record), replaced, text: rotation.text.reveal() };
      },
    }),
    'DELETE /tenants/:tenant/keys/:id': tenantOperation('admin', {
      name: 'keys revoke',
      summary: 'Revoke an API key permanently.',
      trail: 'key.revoked',
      input: { id: KEY_ID },
      output: KEY,
      handle: async (context, { id }) =>
        changed(await keysOf(context.actor).revoke(target(context, id))),
    }),
  };
};

type ChosenInput = Partial<
  Static<ReturnType<typeof Type.Object<typeof CHOSEN & { name: typeof NAME }>>>
>;

/** The members that are chosen. Throws `invalid_arguments` for an expiry that is over. */
function keyChangeOf(
  { name, description, allowedTools, mode, rateLimitPerMinute, dailyLimit, expiresAt }: ChosenInput,
  nowMs: number,
): KeyChange {
  const expiresAtMs = typeof expiresAt === 'string' ? Date.parse(expiresAt) : expiresAt;
  if (typeof expiresAtMs === 'number' && !(expiresAtMs > nowMs)) {
    throw new GatewayError('invalid_arguments', 'The expiry is in the past. Choose a later one.');
  }
  return { name, description, allowedTools, mode, rateLimitPerMinute, dailyLimit, expiresAtMs };
}

/** What a key may do, and its history. */
export const keyFacts = (key: ApiKeyRecord, rateLimits: RateLimits) => ({
  allowedTools: key.allowedTools,
  mode: key.mode,
  scope: key.scope,
  rateLimitPerMinute: key.rateLimitPerMinute,
  effectiveRateLimitPerMinute: effectiveRateLimit(key, rateLimits),
  dailyLimit: key.dailyLimit,
  createdAt: isoTime(key.createdAtMs),
  expiresAt: isoTimeOrNull(key.expiresAtMs),
  revokedAt: isoTimeOrNull(key.revokedAtMs),
  rotatedFrom: key.rotatedFrom,
  rotatedTo: key.rotatedTo,
  kind: key.kind ?? ('api' as const),
  client: key.clientName,
});

function createView({ usage, ownerNames, clock, rateLimits }: KeyOperationsDeps) {
  const viewKey = ({ key, usage: used }: UsedKey, names: OwnerNames, nowMs: number) => {
    const state = keyStateOf(key, nowMs);
    const { owner } = key;
    return {
      id: key.id,
      tenant: key.tenantSlug,
      name: key.name,
      description: key.description,
      prefix: key.prefix,
      owner: owner === null ? null : { id: owner, name: names.get(owner) ?? null },
      ...keyFacts(key, rateLimits),
      revision: key.revision,
      state,
      lastUsedAt: isoTimeOrNull(used.lastUsedAtMs),
      callsToday: used.callsToday,
      failuresToday: used.failuresToday,
      refusedToday: used.refusedToday,
      concerns: state === 'active' ? concernsOf({ key, usage: used }, nowMs) : [],
    };
  };
  const all = async (keys: readonly UsedKey[]) => {
    const owners = new Set(keys.map(({ key }) => key.owner));
    const people = [...owners].filter((owner) => owner !== null).filter(isPersonId);
    const names = await ownerNames(people);
    return keys.map((key) => viewKey(key, names, clock.now()));
  };
  const one = async (key: ApiKeyRecord, source = usage) => {
    const [view] = await all(await withUsage(source, key.tenantId, [key]));
    return view as NonNullable<typeof view>;
  };
  const unlessAway: KeyUsageSource = {
    keyUsage: (...ids) => usage.keyUsage(...ids).catch(() => []),
  };
  return Object.assign(one, {
    all,
    /** After a change: figures that cannot be read then must not lose the text of a new key. */
    changed: (key: ApiKeyRecord) => one(key, unlessAway),
  });
}
