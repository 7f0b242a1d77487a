import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import type { Database } from '../../platform/database/database.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newApiKeyText } from '../../platform/kernel/ids.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { createTenantStore } from '../tenants/tenant-store.ts';
import { type ApiKeyStore, createApiKeyStore } from './api-key-store.ts';
import {
  type Authenticator,
  createAuthenticator,
  MAX_EXPIRING_KEYS,
  MAX_UNKNOWN_KEYS,
} from './authenticator.ts';
import { ShownKey } from './shown-key.ts';

describeStores('the authenticator', (backend) => {
  let place: TestPlace;
  let database: Database;
  /** Another replica's, or the command line's, way to the same keys. */
  let elsewhere: Database;
  let store: ApiKeyStore;
  let storeElsewhere: ApiKeyStore;
  let tenantId: string;
  let authenticator: Authenticator;
  let now: number;
  let revoked: string[];
  let changed: unknown[];
  let created: string[];
  let lookups: number;
  const clock = { now: () => now };

  beforeEach(async () => {
    now = 1_764_000_000_000;
    revoked = [];
    changed = [];
    created = [];
    lookups = 0;
    place = await backend.makePlace();
    database = await openTestDatabase(place);
    elsewhere = await openTestDatabase(place);
    store = createApiKeyStore({ db: database.db, clock });
    storeElsewhere = createApiKeyStore({ db: elsewhere.db, clock });
    tenantId = (await createTenantStore({ db: database.db, clock }).ensure('default')).id;
    authenticator = createAuthenticator({
      store: {
        ...store,
        findByDigest: (digest) => {
          lookups++;
          return store.findByDigest(digest);
        },
      },
      clock,
      pollMs: 20,
      onRevoked: (id) => revoked.push(id),
      onChanged: (...change) => changed.push(change),
      onCreated: (id) => created.push(id),
    });
  });
  afterEach(async () => {
    await authenticator.close();
    await authenticator.close();
    await elsewhere.close();
    await database.close();
    await place.remove();
  });

  const create = async (expiresAtMs?: number) => {
    const { record, text } = await store.create({
      tenantId,
      name: 'k',
      expiresAtMs,
      allowedTools: ['one'],
    });
    return { id: record.id, text: text.reveal() };
  };
  const authenticate = async (text: string | undefined) => authenticator.authenticate(text);

  it('turns a key into its caller, at once when the key is known', async () => {
    const key = await create();
    const caller = await authenticate(key.text);
    expect(caller).toEqual({
      tenantId,
      tenantSlug: 'default',
      apiKeyId: key.id,
      allowedTools: ['one'],
    });
    expect(authenticator.authenticate(key.text)).toBe(caller);
    expect(lookups).toBe(1);
  });

  it('answers alike for a missing, malformed, unknown, revoked and expired key', async () => {
    const expired = await create(now);
    const gone = await create();
    await store.revoke(gone.id);
    for (const text of [undefined, '', 'tg_live_x', newApiKeyText(), gone.text, expired.text]) {
      await expect(authenticate(text)).rejects.toMatchObject({
        code: 'unauthenticated',
        message: 'A valid API key is required.',
      });
    }
  });

  it('does not ask the database about a text that cannot be a key', async () => {
    await expect(authenticate(`${newApiKeyText()}0`)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    expect(lookups).toBe(0);
  });

  it('asks once when many bring the same unknown key at once', async () => {
    const key = await create();
    await Promise.all(Array.from({ length: 50 }, () => authenticate(key.text)));
    expect(lookups).toBe(1);
  });

  it('does not ask again about a key that was unknown a moment ago', async () => {
    const text = newApiKeyText();
    for (let i = 0; i < 3; i++) {
      await expect(authenticate(text)).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    expect(lookups).toBe(1);
  });

  it('remembers so many unknown keys', async () => {
    const texts = Array.from({ length: MAX_UNKNOWN_KEYS + 1 }, newApiKeyText);
    const nobody = createAuthenticator({
      store: {
        ...store,
        findByDigest: async () => {
          lookups++;
          return undefined;
        },
      },
      ...{ clock, pollMs: 60_000, onRevoked: () => undefined, onChanged: () => undefined },
    });
    const refused = async (text: string | undefined) => nobody.authenticate(text);
    for (const text of texts) await expect(refused(text)).rejects.toThrow();
    await expect(refused(texts.at(-1))).rejects.toThrow();
    expect(lookups).toBe(MAX_UNKNOWN_KEYS + 1);
    await expect(refused(texts[0])).rejects.toThrow();
    expect(lookups).toBe(MAX_UNKNOWN_KEYS + 2);
    await nobody.close();
  });

  it('takes a key that was unknown when it was first tried', async () => {
    await authenticator.refresh();
    const text = newApiKeyText();
    await expect(authenticate(text)).rejects.toMatchObject({ code: 'unauthenticated' });
    const { id } = await storeElsewhere.ensure({ tenantId, name: 'late' }, new Secret(text));
    await vi.waitFor(() => expect(created).toEqual([id]));
    expect(await authenticate(text)).toMatchObject({ apiKeyId: id });
  });

  it('asks whether it may before it looks a key up, and only then', async () => {
    const key = await create();
    const refusal = new GatewayError('rate_limited');
    const onLookUp = vi.fn(() => {
      throw refusal;
    });
    const origin = { source: 'a', onLookUp };
    expect(() => authenticator.authenticate(key.text, origin)).toThrow(refusal);
    expect(() => authenticator.authenticate('malformed', origin)).toThrow('A valid API key');
    await authenticate(key.text);
    expect(authenticator.authenticate(key.text, origin)).toMatchObject({ apiKeyId: key.id });
    expect(onLookUp).toHaveBeenCalledTimes(1);
  });

  it('watches the expiry of so many keys, and ends the streams of the one used longest ago', async () => {
    const expiresAtMs = now + 1000;
    let made = 0;
    const many = createAuthenticator({
      store: {
        ...store,
        findByDigest: async () => {
          const key = { id: `key_${made++}`, tenantId, tenantSlug: 'default', name: 'k' };
          const state = { createdAtMs: now, expiresAtMs, revokedAtMs: null };
          return { ...key, ...state, prefix: 'tg_live_', allowedTools: null };
        },
      },
      ...{ clock, pollMs: 60_000, onRevoked: () => undefined, onChanged: () => undefined },
      onForgotten: (id: string) => revoked.push(id),
    });
    for (let i = 0; i <= MAX_EXPIRING_KEYS; i++) await many.authenticate(newApiKeyText());
    expect(revoked).toEqual(['key_0']);
    await many.close();
  });

  it('notices a key that another process made', async () => {
    const { text } = await storeElsewhere.create({ tenantId, name: 'new' });
    expect(await authenticate(text.reveal())).toMatchObject({ tenantId });
  });

  it('keeps a new key known whose making is noticed after its first use', async () => {
    await authenticator.refresh();
    const key = await create();
    await authenticate(key.text);
    await vi.waitFor(() => expect(created).toEqual([key.id]));
    expect(authenticator.known(key.text, new ShownKey())).toMatchObject({ apiKeyId: key.id });
    expect([changed, lookups]).toEqual([[], 1]);
  });

  it('notices by itself that another process revoked a known key', async () => {
    const key = await create();
    const kept = await create();
    await authenticate(key.text);
    await authenticate(kept.text);
    await storeElsewhere.revoke(key.id);
    await vi.waitFor(() => expect(revoked).toEqual([key.id]));
    await expect(authenticate(key.text)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(authenticator.authenticate(kept.text)).toMatchObject({ apiKeyId: kept.id });
  });

  it('notices by itself that another process changed the tools of a known key', async () => {
    const key = await create();
    await authenticate(key.text);
    await storeElsewhere.allow(key.id, ['kma_*']);
    await vi.waitFor(() => expect(changed).toEqual([[key.id, ['kma_*']]]));
    expect(await authenticate(key.text)).toMatchObject({ allowedTools: ['kma_*'] });
    expect(revoked).toEqual([]);
  });

  it('notices a revocation at once when told to look', async () => {
    const key = await create();
    await authenticate(key.text);
    await store.revoke(key.id);
    await authenticator.refresh();
    await expect(authenticate(key.text)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('never keeps a key that is revoked while it is being looked up', async () => {
    const key = await create();
    const found = await store.findByDigest(
      (await database.db.selectFrom('api_keys').select('hash').executeTakeFirstOrThrow()).hash,
    );
    const other = await create();
    const slow = createAuthenticator({
      store: {
        ...store,
        // Reads the key, and only answers once its revocation has been seen.
        findByDigest: async (digest) => {
          if (lookups++ > 0) return store.findByDigest(digest);
          await store.revoke(key.id);
          await slow.refresh();
          return found;
        },
      },
      clock,
      pollMs: 60_000,
      onRevoked: () => undefined,
      onChanged: () => undefined,
    });
    await store.revoke(other.id);
    await expect(slow.authenticate(key.text)).rejects.toMatchObject({ code: 'unauthenticated' });
    await slow.close();
  });

  it('ends a key at its expiry and says so for its streams', async () => {
    const key = await create(now + 1000);
    await authenticate(key.text);
    now += 1000;
    await expect(authenticate(key.text)).rejects.toMatchObject({ code: 'unauthenticated' });
    await vi.waitFor(() => expect(revoked).toEqual([key.id]));
  });

  it('keeps known keys working while the database is away, and calls unknown ones unavailable', async () => {
    const key = await create();
    await authenticate(key.text);
    await database.close();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(authenticator.authenticate(key.text)).toMatchObject({ apiKeyId: key.id });
    await expect(authenticate(newApiKeyText())).rejects.toMatchObject({ code: 'unavailable' });
  });
});
