import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeStores } from '../../../test/support/databases.ts';
import { registerApi } from '../../../test/support/register-api.ts';
import {
  DECODE_LIMITS,
  description,
  openRegistrationPlace,
  type RegistrationPlace,
  smallSteps,
  storedRows,
} from '../../../test/support/registrations.ts';
import { createRegistrations, type Registrations } from '../registrations.ts';
import { decodePatch, decodeRefresh } from '../request/decode-registration.ts';
import { MAX_TENANT_DESCRIPTIONS_LENGTH } from './registration-bounds.ts';
import { createRegistrationStore, type RegistrationStore } from './registration-store.ts';

const URL_OF = 'https://api.example.com/openapi.json';

describeStores('a change of a registration', (backend) => {
  let here: RegistrationPlace;
  let registrations: Registrations;
  let operator: RegistrationStore;
  const documents: Record<string, string> = {};
  const steps = smallSteps(documents);

  beforeEach(async () => {
    here = await openRegistrationPlace(backend);
    const ignore = (): void => undefined;
    registrations = createRegistrations({
      ...here.deps,
      serve: async () => undefined,
      steps,
      onChanged: ignore,
      onError: ignore,
    });
    operator = createRegistrationStore({ ...here.deps, actor: 'cli' });
    documents[URL_OF] = description('list get put');
  });
  afterEach(async () => {
    await registrations.close();
    await here.close();
  });

  const ours = () => ({ tenantId: here.ours, apiKeyId: 'key_1' });
  const auth = { type: 'bearer', token: 't' };
  const register = (body: Record<string, unknown> = {}) =>
    registerApi(here, here.ours, { spec_url: URL_OF, ...body }, steps);
  const publish = async (body: Record<string, unknown> = {}) => {
    const id = await register({ visibility: 'public', ...body });
    await operator.approve(id);
    return id;
  };
  const patch = (id: string, body: unknown) =>
    registrations.patch(ours(), id, decodePatch(body, DECODE_LIMITS.urls));
  const refresh = (id: string) =>
    registrations.refresh(ours(), id, decodeRefresh(null, DECODE_LIMITS));
  const find = (id: string) => registrations.store.find(here.ours, id);
  const namesOf = async (id: string) => (await find(id)).tools.map(({ name }) => name);
  const textsOf = async (id: string) => (await find(id)).descriptions;
  const counts = async () => {
    const { documents: stored, versions } = await storedRows(here.database);
    return { documents: stored.length, versions: versions.length };
  };
  const ONE = { documents: 1, versions: 1 };

  it('replaces and removes category and description', async () => {
    const id = await register({ category: 'weather', description: 'Old.' });
    expect(await patch(id, { description: 'New.' })).toMatchObject({
      category: 'weather',
      description: 'New.',
    });
    expect(await patch(id, { category: null, description: null })).toMatchObject({
      category: null,
      description: null,
    });
  });

  it('without a member changes nothing', async () => {
    const id = await register();
    const before = await find(id);
    await patch(id, {});
    expect(await find(id)).toEqual(before);
  });

  describe('that selects operations', () => {
    it('compiles the stored description again, and keeps names', async () => {
      await register({ name: 'First' });
      const id = await register({ name: 'Second' });
      const exclude = [{ operationId: 'get' }];
      await patch(id, { exclude });
      expect(await namesOf(id)).toEqual(['second_list', 'second_put']);
      await patch(id, { include: [{ operationId: 'list' }, { operationId: 'get' }] });
      expect(await namesOf(id)).toEqual(['second_list']);
      // The next refresh keeps the selection.
      await refresh(id);
      expect(await find(id)).toMatchObject({
        tools: [{ name: 'second_list' }],
        options: { exclude },
      });
      await patch(id, { include: null, exclude: null });
      expect(await namesOf(id)).toEqual(['second_list', 'second_get', 'second_put']);
      expect(await counts()).toEqual({ documents: 2, versions: 2 });
    });

    it('changes nothing if no operation is left', async () => {
      const id = await register();
      const before = await find(id);
      const nothingFits = { name: 'Other', include: [{ operationId: 'x' }] };
      await expect(patch(id, nothingFits)).rejects.toMatchObject({ code: 'unprocessable' });
      expect(await find(id)).toEqual(before);
    });

    it('changes nothing if another of its members is refused', async () => {
      await register({ name: 'First' });
      const id = await register({ name: 'Second' });
      const before = await find(id);
      const body = { exclude: [{ operationId: 'get' }], category: 'x', auth, name: 'first' };
      await expect(patch(id, body)).rejects.toMatchObject({ code: 'conflict' });
      expect(await find(id)).toEqual(before);
      expect((await storedRows(here.database)).secrets).toEqual([]);
    });

    it('waits for approval if the API is public', async () => {
      const id = await publish();
      expect(await patch(id, { exclude: [{ operationId: 'get' }] })).toMatchObject({
        pending: true,
        toolIds: { length: 3 },
      });
      // The second one continues where the first one is.
      await patch(id, { include: [{ operationId: 'list' }, { operationId: 'get' }] });
      expect(await counts()).toEqual({ documents: 1, versions: 2 });
      await operator.approve(id);
      expect(await namesOf(id)).toEqual(['list']);
      expect(await counts()).toEqual(ONE);
    });

    it('drops the version that waits if it returns to the one in use', async () => {
      const id = await publish();
      await patch(id, { exclude: [{ operationId: 'get' }] });
      expect(await patch(id, { exclude: null })).toMatchObject({ pending: false });
      expect(await counts()).toEqual(ONE);
    });
  });

  describe('of the descriptions of its tools', () => {
    it('is stored by the name of the document, and survives a refresh', async () => {
      await register({ name: 'First' });
      const id = await register({ name: 'Second' });
      await patch(id, { descriptions: { second_list: ' Lists\u200b all. ', second_get: 'Gets.' } });
      expect(await textsOf(id)).toEqual({ list: 'Lists all.', get: 'Gets.' });
      documents[URL_OF] = description('list#other put');
      expect((await refresh(id)).outcome).toBe('updated');
      expect(await textsOf(id)).toEqual({ list: 'Lists all.' });
      await patch(id, { descriptions: { second_list: null } });
      expect(await textsOf(id)).toEqual({});
      expect(await counts()).toEqual({ documents: 2, versions: 2 });
    });

    it('names the tools if it is about another one', async () => {
      const id = await register();
      await expect(patch(id, { name: 'Other', descriptions: { lits: 'x' } })).rejects.toMatchObject(
        {
          code: 'invalid_arguments',
          details: {
            errors: [
              {
                path: '/descriptions/lits',
                message:
                  'is not a tool of this API. Did you mean "list"? Available: list, get, put.',
              },
            ],
          },
        },
      );
      expect((await find(id)).name).toBe('My API');
    });

    it('names a bounded number of tools', async () => {
      const all = Array.from({ length: 30 }, (_, n) => `t_${'x'.repeat(n + 1)}`).join(' ');
      const id = await register({ spec_url: undefined, spec_raw: description(all) });
      const unknown = Object.fromEntries(Array.from({ length: 999 }, (_, n) => [`u${n}`, 'x']));
      await expect(patch(id, { descriptions: unknown })).rejects.toMatchObject({
        details: { errors: [{ message: expect.stringMatching(/ and 20 more\.$/) }] },
      });
    });

    it('may be about a tool that the same change adds, not about one that it removes', async () => {
      const id = await register({ exclude: [{ operationId: 'put' }] });
      const include = [{ operationId: 'put' }];
      await expect(
        patch(id, { exclude: null, include, descriptions: { list: 'x' } }),
      ).rejects.toMatchObject({ code: 'invalid_arguments' });
      await patch(id, { exclude: null, include, descriptions: { put: 'Puts.' } });
      expect(await textsOf(id)).toEqual({ put: 'Puts.' });
    });

    it('is a new version, so that every process notices it', async () => {
      const id = await register();
      const before = await find(id);
      await patch(id, { descriptions: { list: 'x' } });
      const after = await find(id);
      expect(after.version).toBeGreaterThan(before.version);
      expect(after.documentId).toBe(before.documentId);
      await patch(id, { descriptions: { list: 'x' } });
      expect((await find(id)).version).toBe(after.version);
    });

    it('waits for approval if the API is public, together with earlier ones', async () => {
      const id = await publish();
      expect(await patch(id, { descriptions: { list: 'A' } })).toMatchObject({ pending: true });
      await patch(id, { descriptions: { get: 'B' } });
      documents[URL_OF] = description('list get put#new');
      expect((await refresh(id)).changes.changed).toEqual(
        ['list', 'get', 'put'].map((tool) => ({ tool, parts: ['description'] })),
      );
      expect(await textsOf(id)).toEqual({});
      await operator.approve(id);
      expect(await textsOf(id)).toEqual({ list: 'A', get: 'B' });
      // To remove one is a change as well.
      expect(await patch(id, { descriptions: { list: null } })).toMatchObject({ pending: true });
      expect(await patch(id, { descriptions: { list: 'A' } })).toMatchObject({ pending: false });
      expect(await counts()).toEqual(ONE);
    });

    it('is refused beyond what a tenant may write', async () => {
      const operations = Array.from({ length: 130 }, (_, n) => `t_${'x'.repeat(n + 1)}`);
      const body = { spec_url: undefined, spec_raw: description(operations.join(' ')) };
      const one = await register({ ...body, name: 'One' });
      const other = await register({ ...body, name: 'Other' });
      const texts = async (id: string) =>
        Object.fromEntries((await namesOf(id)).map((name) => [name, 'x'.repeat(3990)]));
      await patch(one, { descriptions: await texts(one) });
      await expect(patch(other, { descriptions: await texts(other) })).rejects.toMatchObject({
        code: 'unprocessable',
        message: expect.stringContaining(`${MAX_TENANT_DESCRIPTIONS_LENGTH}`),
      });
      expect(await textsOf(other)).toEqual({});
    });
  });

  it('cannot change the name and the category that the operator approved for all tenants', async () => {
    const id = await publish({ category: 'weather' });
    for (const body of [{ name: 'Obey me' }, { category: 'finance' }, { category: null }]) {
      await expect(patch(id, body)).rejects.toMatchObject({ code: 'conflict' });
    }
    await patch(id, { name: 'My API', category: 'weather' });
    await patch(id, { name: 'Other', visibility: 'private' });
    expect(await find(id)).toMatchObject({ name: 'Other', visibility: 'private' });
  });

  describe('of a public API of which a version waits', () => {
    const wait = async (baseUrl?: string) => {
      const id = await publish();
      documents[URL_OF] = description('list#new get put', baseUrl);
      await refresh(id);
      await patch(id, { descriptions: { get: 'A' } });
      return id;
    };

    it('to private takes that version into use', async () => {
      const id = await wait();
      expect(await patch(id, { visibility: 'private' })).toMatchObject({
        pending: false,
        visibility: 'private',
        status: 'registered',
      });
      expect(await textsOf(id)).toEqual({ get: 'A' });
      expect((await refresh(id)).outcome).toBe('unchanged');
      expect(await counts()).toEqual(ONE);
    });

    it('to private with a credential is refused if that version has another origin', async () => {
      const id = await wait('https://elsewhere.example');
      const before = await find(id);
      await expect(patch(id, { visibility: 'private', auth })).rejects.toMatchObject({
        code: 'conflict',
      });
      expect(await find(id)).toEqual(before);
      await patch(id, { visibility: 'private' });
      await patch(id, { auth });
      expect(await find(id)).toMatchObject({ origins: ['https://elsewhere.example'] });
    });

    it('to private with a credential is possible if the origin is the same', async () => {
      const id = await wait();
      await patch(id, { visibility: 'private', auth });
      expect(await find(id)).toMatchObject({
        pendingVersion: null,
        origins: ['https://api.example.com'],
        scheme: { type: 'bearer' },
      });
    });

    it('of anything else leaves it waiting', async () => {
      const id = await wait();
      const [waiting] = await operator.awaiting({ limit: 10 });
      await patch(id, { description: 'X.', visibility: 'public', auth: { type: 'none' } });
      expect(await operator.awaiting({ limit: 10 })).toMatchObject([
        { description: 'X.', version: waiting?.version },
      ]);
    });

    it('is deleted with it', async () => {
      const id = await wait();
      await registrations.delete(ours(), id);
      expect(await storedRows(here.database)).toEqual({
        secrets: [],
        documents: [],
        registrations: [],
        versions: [],
      });
    });
  });
});
