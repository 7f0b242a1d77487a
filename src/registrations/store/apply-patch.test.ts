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

const URL_OF = 'https://api.example.com/openapi.json';

describeStores('a change of a registration', (backend) => {
  let here: RegistrationPlace;
  let registrations: Registrations;
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
  const patch = (id: string, body: unknown) =>
    registrations.patch(ours(), id, decodePatch(body, DECODE_LIMITS.urls));
  const refresh = (id: string) =>
    registrations.refresh(ours(), id, decodeRefresh({}, DECODE_LIMITS));
  const find = (id: string) => registrations.store.find(here.ours, id);
  const namesOf = async (id: string) => (await find(id)).tools.map(({ name }) => name);
  const textsOf = async (id: string) => (await find(id)).descriptions;

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
      expect((await storedRows(here.database)).documents).toHaveLength(2);
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
      expect((await storedRows(here.database)).documents).toHaveLength(2);
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

    it('is a new revision, so that every process notices it', async () => {
      const id = await register();
      const before = await find(id);
      await patch(id, { descriptions: { list: 'x' } });
      const after = await find(id);
      expect(after.revision).toBe(before.revision + 1);
      expect(after.documentId).toBe(before.documentId);
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
});
