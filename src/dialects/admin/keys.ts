import { Type } from 'typebox';
import type { ApiKeyRecord } from '../../access/keys/api-key-record.ts';
import type { ApiKeyStore } from '../../access/keys/api-key-store.ts';
import {
  countConcerns,
  KEY_CONCERNS,
  listUsedKeys,
  type UsedKey,
  withUsage,
} from '../../access/keys/key-hygiene.ts';
import type { KeyUsageSource } from '../../access/keys/key-usage.ts';
import type { RateLimits } from '../../access/keys/rate-limit-cap.ts';
import type { Person } from '../../access/people/person.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { isPersonId } from '../../platform/kernel/ids.ts';
import { tenantRoute } from './admin-route.ts';
import { KEY_CHANGE, KEY_ID, keyChangeOf, NEW_KEY, REVISION } from './key-input.ts';
import { type OwnerNames, viewKey } from './key-view.ts';

export interface KeyRoutesDeps {
  /** The store in which this person acts. */
  readonly keysOf: (person: Pick<Person, 'id' | 'isOperator'>) => ApiKeyStore;
  readonly rateLimits: RateLimits;
  readonly usage: KeyUsageSource;
  /** The names of these people; those who are unknown are absent. */
  readonly ownerNames: (personIds: readonly string[]) => Promise<OwnerNames>;
  readonly clock: Clock;
  /** Reads changes of keys, so that they apply at once where they were made. */
  readonly onChanged: () => Promise<void>;
}

const HOUR_MS = 60 * 60 * 1000;

/** API keys: members of a tenant see them, its admins create and change them. */
export const createKeyRoutes = (deps: KeyRoutesDeps) => {
  const { keysOf, clock } = deps;
  const view = createView(deps);
  const hygieneOf = (person: Person) => ({
    store: keysOf(person),
    usage: deps.usage,
    now: clock.now,
  });
  const changed = async (key: ApiKeyRecord) => {
    await deps.onChanged();
    return view(key);
  };
  return {
    'GET /tenants/:tenant/keys': tenantRoute('viewer', {
      input: {
        cursor: Type.Optional(KEY_ID),
        limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
        q: Type.Optional(Type.String({ maxLength: 100 })),
        state: Type.Optional(Type.Enum(['active', 'expired', 'revoked'])),
        concern: Type.Optional(Type.Enum([...KEY_CONCERNS])),
      },
      handle: async ({ tenant, person }, { cursor, limit, q, state, concern }) => {
        const text = q?.trim() || undefined;
        const query = { tenantId: tenant.id, after: cursor, limit: limit + 1, text, state };
        const found = await listUsedKeys(hygieneOf(person), query, concern);
        const keys = found.slice(0, limit);
        const nextCursor = found.length > limit ? (keys.at(-1)?.key.id ?? null) : null;
        return { keys: await view.all(keys), nextCursor };
      },
    }),
    'GET /tenants/:tenant/keys/hygiene': tenantRoute('viewer', {
      input: {},
      handle: ({ tenant, person }) => countConcerns(hygieneOf(person), tenant.id),
    }),
    'GET /tenants/:tenant/keys/:id': tenantRoute('viewer', {
      input: { id: KEY_ID },
      handle: async ({ tenant, person }, { id }) =>
        view(await keysOf(person).find({ id, tenantId: tenant.id })),
    }),
    'POST /tenants/:tenant/keys': tenantRoute('admin', {
      input: NEW_KEY,
      handle: async ({ tenant, person }, input) => {
        const { record, text } = await keysOf(person).create({
          ...keyChangeOf(input, clock.now()),
          tenantId: tenant.id,
          name: input.name,
        });
        return { key: await changed(record), text: text.reveal() };
      },
    }),
    'PATCH /tenants/:tenant/keys/:id': tenantRoute('admin', {
      input: { id: KEY_ID, revision: REVISION, ...KEY_CHANGE },
      handle: async ({ tenant, person }, { id, revision, ...input }) => {
        const change = keyChangeOf(input, clock.now());
        const target = { id, tenantId: tenant.id, revision };
        return changed(await keysOf(person).change(target, change));
      },
    }),
    'POST /tenants/:tenant/keys/:id/rotate': tenantRoute('admin', {
      input: {
        id: KEY_ID,
        revision: REVISION,
        overlapHours: Type.Integer({ minimum: 0, maximum: 168, default: 24 }),
      },
      handle: async ({ tenant, person }, { id, revision, overlapHours }) => {
        const target = { id, tenantId: tenant.id, revision };
        const rotation = await keysOf(person).rotate(target, overlapHours * HOUR_MS);
        const replaced = await changed(rotation.replaced);
        return { key: await view(rotation.record), replaced, text: rotation.text.reveal() };
      },
    }),
    'DELETE /tenants/:tenant/keys/:id': tenantRoute('admin', {
      input: { id: KEY_ID },
      handle: async ({ tenant, person }, { id }) =>
        changed(await keysOf(person).revoke({ id, tenantId: tenant.id })),
    }),
  };
};

function createView({ usage, ownerNames, clock, rateLimits }: KeyRoutesDeps) {
  const all = async (keys: readonly UsedKey[]) => {
    const owners = new Set(keys.map(({ key }) => key.owner));
    const people = [...owners].filter((owner) => owner !== null).filter(isPersonId);
    const names = await ownerNames(people);
    const context = { names, rateLimits, nowMs: clock.now() };
    return keys.map((key) => viewKey(key, context));
  };
  const one = async (key: ApiKeyRecord) => {
    const [view] = await all(await withUsage(usage, key.tenantId, [key]));
    return view as NonNullable<typeof view>;
  };
  return Object.assign(one, { all });
}
