import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import type { Database } from '../../platform/database/database.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newApiKeyId, newApiKeyText } from '../../platform/kernel/ids.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { newEncryptionKey, readEncryptionKey } from '../../platform/vault/cipher.ts';
import { createVault } from '../../platform/vault/vault.ts';
import { createTenantStore } from '../tenants/tenant-store.ts';
import { digestOf } from './api-key-record.ts';
import { type ApiKeyStore, createApiKeyStore } from './api-key-store.ts';
import {
  type Authenticator,
  type AuthenticatorDeps,
  createAuthenticator,
  MAX_EXPIRING_KEYS,
  MAX_INVALID_KEYS,
  ShownKey,
} from './authenticator.ts';
import { createTokenMint, type TokenMint } from './token-mint.ts';

const HERE = { source: 'here' };

/** Waits for what a poll reports, also on a slow machine. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 30_000 });

describeStores('the authenticator', (backend) => {
  let place: TestPlace;
  let database: Database;
  /** The connection of another replica or of the command line to the same keys. */
  let elsewhere: Database;
  let store: ApiKeyStore;
  let storeElsewhere: ApiKeyStore;
  let tenantId: string;
  let authenticator: Authenticator;
  let now: number;
  /** A revocation may be reported twice. */
  let revoked: Set<string>;
  /** The tools of each key that has changed. A change may be reported twice. */
  let changed: Map<string, readonly string[] | null>;
  let created: string[];
  let lookups: number;
  const clock = { now: () => now };

  beforeEach(async () => {
    now = 1_764_000_000_000;
    revoked = new Set();
    changed = new Map();
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
      onRevoked: (id) => revoked.add(id),
      onForgotten: () => undefined,
      onChanged: (id, allowedTools) => changed.set(id, allowedTools),
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
  /** A key whose creation has been read: a look-up is repeated if changes are read meanwhile. */
  const createAndRead = async () => {
    await authenticator.refresh();
    const key = await create();
    await authenticator.refresh();
    return key;
  };
  const authenticate = async (text: string) => authenticator.authenticate(text, HERE);
  /** An authenticator that never polls and reports nothing. */
  const createQuiet = (
    store: AuthenticatorDeps['store'],
    onForgotten = (_id: string) => {},
    tokens?: TokenMint,
  ) =>
    createAuthenticator({
      store,
      ...(tokens && { tokens }),
      clock,
      pollMs: 60_000,
      onRevoked: () => undefined,
      onForgotten,
      onChanged: () => undefined,
      onCreated: () => undefined,
    });

  it('finds the caller of a key, synchronously if the key is known', async () => {
    const key = await createAndRead();
    const caller = await authenticate(key.text);
    expect(caller).toEqual({
      tenantId,
      tenantSlug: 'default',
      apiKeyId: key.id,
      allowedTools: ['one'],
    });
    expect(authenticator.authenticate(key.text, HERE)).toBe(caller);
    expect(lookups).toBe(1);
  });

  it('looks up the access tokens that a gateway of the database made, and no others', async () => {
    const key = readEncryptionKey(newEncryptionKey());
    const mintOf = ({ db }: Database) =>
      createTokenMint({ db, vault: createVault(() => [key]), clock });
    const asked: string[] = [];
    const findByToken = async (digest: string) => void asked.push(digest);
    const here = createQuiet({ ...store, findByToken }, undefined, mintOf(database));
    const { access } = await mintOf(elsewhere).mint(newApiKeyId());
    const changed = `${access.slice(0, -1)}${access.endsWith('0') ? '1' : '0'}`;
    for (const text of [newApiKeyText().replace('live', 'at'), changed, access]) {
      await expect(here.authenticate(text, HERE)).rejects.toMatchObject({
        code: 'unauthenticated',
      });
    }
    expect(asked).toEqual([digestOf(access)]);
    await here.close();
  });

  it('refuses a missing, malformed, unknown, revoked and expired key alike', async () => {
    const expired = await create(now);
    const revokedKey = await create();
    await store.revoke({ id: revokedKey.id });
    const unknown = newApiKeyText();
    for (const text of ['', 'tg_live_x', unknown, revokedKey.text, expired.text]) {
      await expect(authenticate(text)).rejects.toMatchObject({
        code: 'unauthenticated',
        message:
          'A valid API key is required. Send it in the header x-api-key, or in Authorization as a bearer token.',
      });
    }
  });

  it('does not look up a text that cannot be a key', async () => {
    await expect(authenticate(`${newApiKeyText()}0`)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    expect(lookups).toBe(0);
  });

  it('looks a key up once when many requests show it at once', async () => {
    const key = await createAndRead();
    await Promise.all(Array.from({ length: 50 }, () => authenticate(key.text)));
    expect(lookups).toBe(1);
  });

  it('does not look up an invalid key again within seconds', async () => {
    const text = newApiKeyText();
    for (let i = 0; i < 3; i++) {
      await expect(authenticate(text)).rejects.toMatchObject({ code: 'unauthenticated' });
    }
    expect(lookups).toBe(1);
  });

  it('remembers a bounded number of invalid keys', async () => {
    const texts = Array.from({ length: MAX_INVALID_KEYS + 1 }, newApiKeyText);
    const nobody = createQuiet({
      ...store,
      findByDigest: async () => {
        lookups++;
        return undefined;
      },
    });
    const refused = async (text = '') => nobody.authenticate(text, HERE);
    for (const text of texts) await expect(refused(text)).rejects.toThrow();
    await expect(refused(texts.at(-1))).rejects.toThrow();
    expect(lookups).toBe(MAX_INVALID_KEYS + 1);
    await expect(refused(texts[0])).rejects.toThrow();
    expect(lookups).toBe(MAX_INVALID_KEYS + 2);
    await nobody.close();
  });

  it('accepts a key that was created after it was first tried', async () => {
    await authenticator.refresh();
    const text = newApiKeyText();
    await expect(authenticate(text)).rejects.toMatchObject({ code: 'unauthenticated' });
    const { id } = await storeElsewhere.ensure({ tenantId, name: 'late' }, new Secret(text));
    await eventually(() => expect(created).toEqual([id]));
    expect(await authenticate(text)).toMatchObject({ apiKeyId: id });
  });

  it('calls onLookUp before it looks a key up, and only then', async () => {
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

  it('watches the expiry of a bounded number of keys, and ends the streams of the least recently used', async () => {
    const expiresAtMs = now + 1000;
    const forgotten: string[] = [];
    let found = 0;
    const { record } = await store.create({ tenantId, name: 'k' });
    const findByDigest = async () => {
      return { ...record, id: `key_${found++}`, expiresAtMs };
    };
    const many = createQuiet({ ...store, findByDigest }, (id) => forgotten.push(id));
    for (let i = 0; i <= MAX_EXPIRING_KEYS; i++) await many.authenticate(newApiKeyText(), HERE);
    expect(forgotten).toEqual(['key_0']);
    await many.close();
  });

  it('accepts a key that another process created', async () => {
    const { text } = await storeElsewhere.create({ tenantId, name: 'new' });
    expect(await authenticate(text.reveal())).toMatchObject({ tenantId });
  });

  it('still knows a new key after reading of its creation', async () => {
    await authenticator.refresh();
    const key = await create();
    await authenticate(key.text);
    await eventually(() => expect(created).toEqual([key.id]));
    expect(authenticator.known(key.text, new ShownKey())).toMatchObject({ apiKeyId: key.id });
    expect(changed.size).toBe(0);
  });

  it('notices when another process revokes a known key', async () => {
    const key = await create();
    const kept = await create();
    await authenticate(key.text);
    await authenticate(kept.text);
    await storeElsewhere.revoke({ id: key.id });
    await eventually(() => expect(revoked).toEqual(new Set([key.id])));
    await expect(authenticate(key.text)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(authenticator.authenticate(kept.text, HERE)).toMatchObject({ apiKeyId: kept.id });
  });

  it('notices when another process changes the tools of a known key', async () => {
    const key = await create();
    await authenticate(key.text);
    await storeElsewhere.change({ id: key.id }, { allowedTools: ['kma_*'] });
    await eventually(() => expect(changed).toEqual(new Map([[key.id, ['kma_*']]])));
    expect(await authenticate(key.text)).toMatchObject({ allowedTools: ['kma_*'] });
    expect(revoked).toEqual(new Set());
  });

  it('notices a revocation immediately on refresh', async () => {
    const key = await create();
    await authenticate(key.text);
    await store.revoke({ id: key.id });
    await authenticator.refresh();
    await expect(authenticate(key.text)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('never accepts a key that is revoked during its look-up', async () => {
    const key = await create();
    const found = await store.findByDigest(
      (await database.db.selectFrom('api_keys').select('hash').executeTakeFirstOrThrow()).hash,
    );
    const other = await create();
    const slow: Authenticator = createQuiet({
      ...store,
      // Reads the key, and returns it only after its revocation has been seen.
      findByDigest: async (digest) => {
        if (lookups++ > 0) return store.findByDigest(digest);
        await store.revoke({ id: key.id });
        await slow.refresh();
        return found;
      },
    });
    await store.revoke({ id: other.id });
    await expect(slow.authenticate(key.text, HERE)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    await slow.close();
  });

  it('refuses a key from its expiry on, and reports it so that its streams end', async () => {
    const key = await create(now + 1000);
    await authenticate(key.text);
    now += 1000;
    await expect(authenticate(key.text)).rejects.toMatchObject({ code: 'unauthenticated' });
    await eventually(() => expect(revoked).toEqual(new Set([key.id])));
  });

  it('follows an expiry that is changed, also for streams of a key that has sent nothing since', async () => {
    const [longer, shorter] = [await create(now + 1000), await create()];
    await authenticate(longer.text);
    await authenticate(shorter.text);
    await storeElsewhere.change({ id: longer.id }, { expiresAtMs: now + 9000 });
    await storeElsewhere.rotate({ id: shorter.id }, 2000);
    await eventually(() =>
      expect(new Set(changed.keys())).toEqual(new Set([longer.id, shorter.id])),
    );
    now += 1500;
    expect(await authenticate(longer.text)).toMatchObject({ apiKeyId: longer.id });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(revoked).toEqual(new Set());
    now += 1000;
    await eventually(() => expect(revoked).toEqual(new Set([shorter.id])));
    await expect(authenticate(shorter.text)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('gives a caller the limits of its key, and none if it has none', async () => {
    const plain = await create();
    expect((await authenticate(plain.text)).limits).toBeUndefined();
    await store.change({ id: plain.id }, { dailyLimit: 5 });
    await authenticator.refresh();
    const limits = { rateLimitPerMinute: null, dailyLimit: 5 };
    expect(await authenticate(plain.text)).toMatchObject({ limits });
  });

  it('accepts known keys while the database is away, and refuses others as unavailable', async () => {
    const key = await create();
    await authenticate(key.text);
    await database.close();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(authenticator.authenticate(key.text, HERE)).toMatchObject({ apiKeyId: key.id });
    await expect(authenticate(newApiKeyText())).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('the last key that a connection showed', () => {
  it('returns its digest for the same text only', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (first, second) => {
        const shown = new ShownKey();
        expect(shown.digestOf(first)).toBeUndefined();
        shown.remember(first, 'digest');
        expect(shown.digestOf(second)).toBe(
          second === first && first !== '' ? 'digest' : undefined,
        );
      }),
    );
  });

  it('distinguishes keys that differ in one character', () => {
    const key = `tg_live_${'a'.repeat(43)}`;
    const shown = new ShownKey();
    shown.remember(key, 'digest');
    expect(shown.digestOf(key)).toBe('digest');
    for (let i = 0; i < key.length; i++) {
      expect(shown.digestOf(`${key.slice(0, i)}!${key.slice(i + 1)}`)).toBeUndefined();
    }
  });
});
