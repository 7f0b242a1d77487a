import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listAdminEvents } from '../../../test/support/admin-events.ts';
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
import { GatewayError } from '../../platform/kernel/error.ts';
import { Deadline } from '../../platform/kernel/time.ts';
import { createRegistrations, type Registrations } from '../registrations.ts';
import { decodePatch, decodeRefresh } from '../request/decode-registration.ts';
import type { RegistrationSteps } from '../steps/registration-steps.ts';
import { MAX_TOOLS } from '../store/registration-bounds.ts';
import { refreshRegistration } from './refresh-registration.ts';

const URL_OF = 'https://api.example.com/openapi.json';
const OTHER_URL = 'https://example.org/openapi.json';

describeStores('a refresh', (backend) => {
  let here: RegistrationPlace;
  let registrations: Registrations;
  /** What the addresses respond with. */
  const documents: Record<string, string> = {};
  const steps = smallSteps(documents);

  const open = (more: Partial<RegistrationSteps> = {}): Registrations =>
    createRegistrations({
      ...here.deps,
      serve: async () => undefined,
      steps: { ...steps, ...more },
      onChanged: () => undefined,
      onError: () => undefined,
    });
  beforeEach(async () => {
    here = await openRegistrationPlace(backend);
    registrations = open();
    documents[URL_OF] = description('list get');
  });
  afterEach(async () => {
    await registrations.close();
    await here.close();
  });

  const ours = () => ({ tenantId: here.ours, apiKeyId: 'key_1' });
  const theirs = () => ({ tenantId: here.theirs, apiKeyId: 'key_2' });
  const auth = { type: 'bearer', token: 'very-secret' };
  const register = (body: Record<string, unknown> = {}, tenantId = here.ours) =>
    registerApi(here, tenantId, { spec_url: URL_OF, ...body }, steps);
  const refresh = (id: string, body: unknown = {}) =>
    registrations.refresh(ours(), id, decodeRefresh(body, DECODE_LIMITS));
  const patch = (id: string, body: unknown) =>
    registrations.patch(ours(), id, decodePatch(body, DECODE_LIMITS.urls));
  const find = (id: string) => registrations.store.find(here.ours, id);
  const namesOf = async (id: string) => (await find(id)).tools.map(({ name }) => name);
  const documentCount = async () => (await storedRows(here.database)).documents.length;
  const nothing = { added: [], removed: [], changed: [] };

  it('changes nothing while the description is the same', async () => {
    const id = await register();
    const before = await find(id);
    expect(await refresh(id)).toMatchObject({
      outcome: 'unchanged',
      changes: nothing,
      origins: { before: ['https://api.example.com'], after: ['https://api.example.com'] },
      report: { tools: 2 },
      registration: { id, name: 'My API' },
    });
    expect(await find(id)).toEqual(before);
  });

  it('takes what is new, and says what became of each tool', async () => {
    documents[URL_OF] = description('list get put old');
    const id = await register();
    documents[URL_OF] = description('list#new get~new^new put@https://cdn.example.com added');
    const { outcome, changes, registration } = await refresh(id, {});
    expect(outcome).toBe('updated');
    expect(changes).toEqual({
      added: ['added'],
      removed: ['old'],
      changed: [
        { tool: 'list', parts: ['description'] },
        { tool: 'get', parts: ['parameters', 'request'] },
        { tool: 'put', parts: ['origin'] },
      ],
    });
    expect(registration.toolIds).toEqual(
      ['list', 'get', 'put', 'added'].map((name) => `@ours.my-api.${name}`),
    );
    expect(await registrations.get(ours(), id)).toMatchObject(registration);
    expect(await documentCount()).toBe(1);
    expect((await refresh(id)).outcome).toBe('unchanged');
  });

  it('stores a description that gives the same tools, without a new revision', async () => {
    const id = await register({ exclude: [{ operationId: 'put' }] });
    const before = await find(id);
    documents[URL_OF] = description('list get put');
    expect((await refresh(id)).outcome).toBe('unchanged');
    expect(await find(id)).toEqual({ ...before, documentId: expect.any(String) });
    expect(await documentCount()).toBe(1);
    await patch(id, { exclude: null });
    expect(await namesOf(id)).toEqual(['list', 'get', 'put']);
  });

  it('stores what the description was compiled to with every change of it', async () => {
    const compiled = async () => {
      const rows = await here.database.db
        .selectFrom('registrations')
        .select(['compiled', 'compiled_stamp'])
        .execute();
      return rows.map((row) => [Buffer.from(row.compiled ?? []).toString(), row.compiled_stamp]);
    };
    const stamp = 'https://api.example.com/v1';
    const id = await register();
    expect(await compiled()).toEqual([['list get', stamp]]);
    documents[URL_OF] = description('list get put');
    await refresh(id);
    await patch(id, { descriptions: { list: 'Lists.' } });
    expect(await compiled()).toEqual([['list get put', stamp]]);
    await patch(id, { exclude: [{ operationId: 'get' }] });
    expect(await compiled()).toEqual([['list put', stamp]]);
  });

  it('keeps the names of the tools that stay, and gives the new ones free names', async () => {
    const first = await register({ name: 'First' });
    const id = await register({ name: 'Second' });
    expect(await namesOf(id)).toEqual(['second_list', 'second_get']);
    documents[OTHER_URL] = description('list get put');
    await refresh(first, { spec_url: OTHER_URL });
    documents[URL_OF] = description('get put new list');
    const { changes } = await refresh(id);
    expect(changes).toEqual({ added: ['second_put', 'new'], removed: [], changed: [] });
    await registrations.delete(ours(), first);
    expect((await refresh(id)).outcome).toBe('unchanged');
    expect(await namesOf(id)).toEqual(['second_get', 'second_put', 'new', 'second_list']);
  });

  it('gives a new tool no name that another of its tools keeps', async () => {
    await register({ name: 'First' });
    const id = await register({ name: 'Second' });
    documents[URL_OF] = description('second_list list');
    await refresh(id);
    expect(await namesOf(id)).toEqual(['second_second_list', 'second_list']);
  });

  it('needs an address or a description if the registration has no address', async () => {
    const id = await register({ spec_url: undefined, spec_raw: description('list') });
    await expect(refresh(id)).rejects.toMatchObject({
      code: 'invalid_arguments',
      details: { errors: [{ path: '/spec_url' }] },
    });
    expect((await refresh(id, { spec_raw: description('list put') })).outcome).toBe('updated');
    await expect(refresh(id)).rejects.toMatchObject({ code: 'invalid_arguments' });
    // The same tools from an address: from now on, it is fetched from there.
    documents[URL_OF] = description('list put');
    expect((await refresh(id, { spec_url: URL_OF })).outcome).toBe('unchanged');
    documents[URL_OF] = description('list');
    expect((await refresh(id)).outcome).toBe('updated');
    expect(await documentCount()).toBe(1);
  });

  it('changes nothing in a dry run, and says what would change', async () => {
    const id = await register({ auth });
    const before = await find(id);
    documents[URL_OF] = description('list put', 'https://elsewhere.example');
    expect(await refresh(id, { dry_run: true })).toMatchObject({
      outcome: 'checked',
      changes: { added: ['put'], removed: ['get'], changed: [{ tool: 'list', parts: ['origin'] }] },
      origins: { before: ['https://api.example.com'], after: ['https://elsewhere.example'] },
    });
    expect(await find(id)).toEqual(before);
    expect(await documentCount()).toBe(1);
  });

  it.each([
    ['cannot be reached', undefined, 'upstream_unreachable'],
    ['is not a description', 'broken', 'unprocessable'],
    ['has no operation that becomes a tool', description(''), 'unprocessable'],
  ])('changes nothing if what it finds %s', async (_, found, code) => {
    const id = await register();
    const before = await find(id);
    if (found === undefined) delete documents[URL_OF];
    else documents[URL_OF] = found;
    await expect(refresh(id)).rejects.toMatchObject({ code });
    expect(await find(id)).toEqual(before);
    expect(await documentCount()).toBe(1);
  });

  it('compares what this release of the gateway makes of both descriptions', async () => {
    const id = await register();
    await registrations.close();
    registrations = open({
      compile: async (input, limits) => {
        const compiled = await steps.compile(input, limits);
        const traits = Object.entries(compiled.traits).map(
          ([name, each]) => [name, { ...each, parameters: `${each.parameters} 2` }] as const,
        );
        return { ...compiled, traits: Object.fromEntries(traits) };
      },
    });
    documents[URL_OF] = description('list get#new');
    expect((await refresh(id)).changes).toEqual({
      ...nothing,
      changed: [{ tool: 'get', parts: ['description'] }],
    });
  });

  it('is possible if this release refuses the stored description', async () => {
    const id = await register();
    await registrations.close();
    registrations = open({
      compile: async (input, limits) => {
        const document = Buffer.from(await input.document.read());
        if (document.includes('put')) return steps.compile(input, limits);
        throw new GatewayError('unprocessable');
      },
    });
    documents[URL_OF] = description('list put');
    expect(await refresh(id)).toMatchObject({
      outcome: 'updated',
      changes: { added: ['put'], removed: ['get'], changed: [{ tool: 'list' }] },
    });
  });

  it('is refused at the bound of tools', async () => {
    const many = (count: number) =>
      description(Array.from({ length: count }, (_, n) => `t${'x'.repeat(n % 7)}_${n}`).join(' '));
    const id = await register();
    documents[OTHER_URL] = many(MAX_TOOLS - 2);
    const other = await register({ spec_url: OTHER_URL, name: 'Other' });
    documents[URL_OF] = description('list get put');
    await expect(refresh(id)).rejects.toMatchObject({ code: 'unprocessable' });
    documents[OTHER_URL] = many(MAX_TOOLS - 3);
    expect((await refresh(other)).outcome).toBe('updated');
    expect((await refresh(id)).outcome).toBe('updated');
    documents[OTHER_URL] = many(MAX_TOOLS - 2);
    await expect(refresh(other)).rejects.toMatchObject({ code: 'unprocessable' });
    documents[URL_OF] = description('list');
    expect((await refresh(id)).outcome).toBe('updated');
    expect((await refresh(other)).outcome).toBe('updated');
  });

  it('is not found by another tenant', async () => {
    const id = await register();
    const request = decodeRefresh({ dry_run: true }, DECODE_LIMITS);
    await expect(registrations.refresh(theirs(), id, request)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  describe('of an API with a credential', () => {
    const elsewhere = 'https://elsewhere.example';
    const moved = () => {
      documents[URL_OF] = description(`list get@${elsewhere}`);
    };

    it('waits for confirmation if the origins differ, and stores nothing', async () => {
      const id = await register({ auth });
      const before = await find(id);
      moved();
      const after = ['https://api.example.com', elsewhere];
      const asked = { outcome: 'confirmation_required', origins: { after } };
      expect(await refresh(id)).toMatchObject(asked);
      await expect(refresh(id, { confirm_origins: [elsewhere] })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('other origins than confirm_origins names'),
      });
      const partly = { confirm_origins: [elsewhere], dry_run: true };
      expect(await refresh(id, partly)).toMatchObject({ ...asked, outcome: 'checked' });
      expect(await find(id)).toEqual(before);
      expect(await refresh(id, { confirm_origins: after })).toMatchObject({ outcome: 'updated' });
      expect(await find(id)).toMatchObject({ revision: 2, origins: after });
      expect((await refresh(id)).outcome).toBe('unchanged');
    });

    it('gives the credential to the base address alone until more is confirmed', async () => {
      moved();
      const id = await register({ auth });
      expect((await find(id)).origins).toEqual(['https://api.example.com']);
      expect((await refresh(id)).outcome).toBe('unchanged');
      // The same two origins, but the base address is now the one that got no credential.
      documents[URL_OF] = description('list@https://api.example.com get', elsewhere);
      expect((await refresh(id)).outcome).toBe('confirmation_required');
    });

    it('does not wait if the API has none', async () => {
      const id = await register();
      documents[URL_OF] = description('list get', elsewhere);
      expect((await refresh(id)).outcome).toBe('updated');
      expect(await find(id)).toMatchObject({ baseUrl: elsewhere, origins: [elsewhere] });
    });
  });

  describe('meanwhile', () => {
    /** Opens the service with a compiler that first does something else, once. */
    async function duringCompilation(work: () => Promise<unknown>) {
      await registrations.close();
      let isFirst = true;
      registrations = open({
        compile: async (input, limits) => {
          if (isFirst) {
            isFirst = false;
            await work();
          }
          return steps.compile(input, limits);
        },
      });
    }

    it('is a conflict if the registration is changed', async () => {
      const id = await register();
      documents[URL_OF] = description('list put');
      await duringCompilation(() => patch(id, { auth }));
      await expect(refresh(id)).rejects.toMatchObject({ code: 'conflict' });
      expect(await namesOf(id)).toEqual(['list', 'get']);
      expect(await documentCount()).toBe(1);
    });

    it('makes another change a conflict, even if the tools are the same', async () => {
      const id = await register();
      const other = createRegistrations({
        ...here.deps,
        serve: async () => undefined,
        steps,
        onChanged: () => undefined,
        onError: () => undefined,
      });
      documents[URL_OF] = `${description('list get')}\nanother line`;
      const request = decodeRefresh({}, DECODE_LIMITS);
      await duringCompilation(() => other.refresh(ours(), id, request));
      const exclude = [{ operationId: 'get' }];
      await expect(patch(id, { exclude })).rejects.toMatchObject({ code: 'conflict' });
      await other.close();
      await patch(id, { exclude });
      expect(await documentCount()).toBe(1);
    });

    it('is not found if the registration is deleted', async () => {
      const id = await register();
      documents[URL_OF] = description('list put');
      await duringCompilation(() => registrations.delete(ours(), id));
      await expect(refresh(id)).rejects.toMatchObject({ code: 'not_found' });
      expect(await documentCount()).toBe(0);
    });

    it('another of the same tenant is refused, and one of another tenant runs', async () => {
      const id = await register();
      const other = await register({}, here.theirs);
      await duringCompilation(async () => {
        await expect(refresh(id)).rejects.toMatchObject({
          code: 'rate_limited',
          details: { retryAfterSeconds: expect.any(Number) },
        });
        await expect(patch(id, { include: null })).rejects.toMatchObject({ code: 'rate_limited' });
        const request = decodeRefresh({}, DECODE_LIMITS);
        expect((await registrations.refresh(theirs(), other, request)).outcome).toBe('unchanged');
      });
      await expect(refresh(id)).resolves.toMatchObject({ outcome: 'unchanged' });
      // It has ended, so that the next one runs.
      await refresh(id);
    });
  });

  it('is stopped when the gateway closes', async () => {
    const id = await register();
    await registrations.close();
    let started = (): void => undefined;
    const hasStarted = new Promise<void>((resolve) => {
      started = resolve;
    });
    registrations = open({
      findDocument: () => {
        started();
        return new Promise(() => undefined);
      },
    });
    const running = expect(refresh(id)).rejects.toMatchObject({ code: 'unavailable' });
    await hasStarted;
    await registrations.close();
    await running;
    await expect(refresh(id)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('ends at its deadline, even if a step never ends', async () => {
    const id = await register();
    const never = () => new Promise<never>(() => undefined);
    const limits = {
      deadline: Deadline.in(20),
      signal: new AbortController().signal,
      tenantId: '',
    };
    await expect(
      refreshRegistration(
        { ...here.deps, steps: { fetchDocument: never, findDocument: never, compile: never } },
        { id, tenantId: here.ours },
        decodeRefresh({}, DECODE_LIMITS),
        limits,
      ),
    ).rejects.toMatchObject({ code: 'unprocessable', message: expect.stringContaining('60 s') });
  });

  it('is in the trail with its counts, and so is everything else that happens to a registration', async () => {
    const id = await register();
    documents[URL_OF] = description('list put#secretly');
    await refresh(id, { dry_run: true });
    await refresh(id);
    await patch(id, { category: 'pets', auth });
    await registrations.delete(ours(), id);
    const events = await listAdminEvents(here.database.db, { tenantId: here.ours, limit: 20 });
    const name = 'My API';
    const counted = { added: 1, removed: 1, changed: 0 };
    expect(
      events
        .filter(({ action }) => action.startsWith('registration.'))
        .map(({ actor, action, details, subjectId }) => [subjectId === id, actor, action, details])
        .toReversed(),
    ).toEqual([
      [true, 'key_0', 'registration.created', { name, tools: 2 }],
      [true, 'key_1', 'registration.refreshed', { name, outcome: 'updated', ...counted }],
      [true, 'key_1', 'registration.changed', { name, members: ['category', 'auth'] }],
      [true, 'key_1', 'registration.deleted', { name }],
    ]);
    expect(JSON.stringify(events)).not.toMatch(/very-secret|secretly|example\.com/);
  });
});
