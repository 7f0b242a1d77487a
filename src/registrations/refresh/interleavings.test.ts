import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeStores } from '../../../test/support/databases.ts';
import { registerApi } from '../../../test/support/register-api.ts';
import {
  DECODE_LIMITS,
  description,
  openRegistrationPlace,
  type RegistrationPlace,
  smallSteps,
} from '../../../test/support/registrations.ts';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import { createRegistrations, type Registrations } from '../registrations.ts';
import { decodePatch, decodeRefresh } from '../request/decode-registration.ts';
import type { RegistrationRecord } from '../store/registration-record.ts';

/** Tools by name, with the text of the description. */
type Tools = Readonly<Record<string, string>>;

/** What a version should be. */
interface Version {
  readonly operations: Tools;
  readonly excluded: readonly string[];
  /** Texts that a person wrote. */
  readonly texts: Tools;
}

/** What a registration should be. */
interface Model {
  readonly id: string;
  current: Version;
  /** Names of the tools, by the name of the description. */
  names: ReadonlyMap<string, string>;
}

const TOOLS = ['list', 'get', 'put'] as const;

/** One move; each kind uses some of the other members. */
const move = fc.record({
  kind: fc.constantFrom(
    'refresh',
    'refresh',
    'refresh',
    'check',
    'exclude',
    'describe',
    'delete',
    'deleteNeighbour',
  ),
  operations: fc.dictionary(fc.constantFrom(...TOOLS), fc.constantFrom('a', 'b')),
  excluded: fc.subarray([...TOOLS]),
  tool: fc.constantFrom(...TOOLS),
  text: fc.option(fc.constantFrom('x', 'y')),
});
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

const toolsOf = ({ operations: all, excluded }: Version): readonly string[] =>
  Object.keys(all).filter((name) => !excluded.includes(name));

/** Without the texts of tools that the version does not have. */
const tidy = (version: Version): Version => {
  const tools = toolsOf(version);
  const texts = Object.entries(version.texts).filter(([name]) => tools.includes(name));
  return { ...version, texts: Object.fromEntries(texts) };
};

/** What models read of each tool. */
const readable = (version: Version) =>
  new Map(toolsOf(version).map((name) => [name, [version.operations[name], version.texts[name]]]));

const isDifferent = (one: Version, other: Version): boolean =>
  JSON.stringify([...readable(one)].sort()) !== JSON.stringify([...readable(other)].sort());

describeStores('any sequence of changes to registrations', (backend) => {
  let here: RegistrationPlace;
  let registrations: Registrations;
  const documents: Record<string, string> = {};
  const steps = smallSteps(documents);
  let runs = 0;

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
  });
  afterEach(async () => {
    await registrations.close();
    await here.close();
  });

  /** One tenant with an API whose names are prefixed, because another one had them first. */
  class Tenant {
    readonly caller: { tenantId: string; apiKeyId: string };
    readonly url: string;
    neighbour: string | null;
    model: Model | null;

    constructor(tenantId: string, ids: { neighbour: string; id: string }, url: string) {
      this.caller = { tenantId, apiKeyId: 'key_1' };
      this.url = url;
      this.neighbour = ids.neighbour;
      this.model = {
        id: ids.id,
        current: { operations: { list: 'a', get: 'a' }, excluded: [], texts: {} },
        names: new Map(),
      };
    }

    static async create(): Promise<Tenant> {
      const slug = `run-${runs++}`;
      const { id: tenantId } = await createTenantStore(here.deps).ensure(slug);
      const url = `https://example.com/${slug}`;
      documents[url] = description('list get');
      const neighbour = await registerApi(here, tenantId, { name: 'Neighbour' }, steps);
      documents[url] = description('list#a get#a');
      const id = await registerApi(here, tenantId, { name: 'Api', spec_url: url }, steps);
      return new Tenant(tenantId, { neighbour, id }, url);
    }

    patch(body: unknown): Promise<unknown> {
      const { id } = this.model ?? { id: 'reg_0' };
      return registrations.patch(this.caller, id, decodePatch(body, DECODE_LIMITS.urls));
    }

    async move(step: Move): Promise<void> {
      const { model } = this;
      if (step.kind === 'deleteNeighbour') await this.deleteNeighbour();
      else if (model) await MOVES[step.kind](this, model, step);
      else await refused(this.patch({ name: 'x' }), 'not_found');
    }

    async deleteNeighbour(): Promise<void> {
      const deleting = registrations.delete(this.caller, this.neighbour ?? 'reg_0');
      if (this.neighbour === null) return refused(deleting, 'not_found');
      await deleting;
      this.neighbour = null;
    }

    async current(): Promise<RegistrationRecord> {
      return registrations.store.find(this.caller.tenantId, this.model?.id ?? '');
    }
  }

  const refused = (running: Promise<unknown>, code: string): Promise<void> =>
    expect(running).rejects.toMatchObject({ code });

  type Moves = Record<
    Exclude<Move['kind'], 'deleteNeighbour'>,
    (tenant: Tenant, model: Model, step: Move) => Promise<void>
  >;
  const MOVES: Moves = {
    refresh: async (tenant, model, { operations }) => {
      const next = tidy({ ...model.current, operations });
      const refreshing = refresh(tenant, model, operations);
      if (toolsOf(next).length === 0) return refused(refreshing, 'unprocessable');
      const { outcome } = await refreshing;
      expect(outcome).toBe(isDifferent(next, model.current) ? 'updated' : 'unchanged');
      model.current = next;
    },
    check: async (tenant, model, { operations }) => {
      const next = tidy({ ...model.current, operations });
      const checking = refresh(tenant, model, operations, { dry_run: true });
      if (toolsOf(next).length === 0) return refused(checking, 'unprocessable');
      expect((await checking).outcome).toBe('checked');
    },
    exclude: async (tenant, model, { excluded }) => {
      const next = tidy({ ...model.current, excluded });
      const exclude = excluded.map((operationId) => ({ operationId }));
      const patching = tenant.patch({ exclude });
      if (toolsOf(next).length === 0) return refused(patching, 'unprocessable');
      await patching;
      model.current = next;
    },
    describe: async (tenant, model, { tool, text }) => {
      const { current } = model;
      const descriptions = { [model.names.get(tool) ?? tool]: text };
      const patching = tenant.patch({ descriptions });
      if (!toolsOf(current).includes(tool)) return refused(patching, 'invalid_arguments');
      await patching;
      const { [tool]: _, ...others } = current.texts;
      model.current = { ...current, texts: text === null ? others : { ...others, [tool]: text } };
    },
    delete: async (tenant, model) => {
      await registrations.delete(tenant.caller, model.id);
      tenant.model = null;
    },
  };

  function refresh(tenant: Tenant, { id }: Model, operations: Tools, body: object = {}) {
    const all = Object.entries(operations).map(([name, text]) => `${name}#${text}`);
    documents[tenant.url] = description(all.join(' '));
    return registrations.refresh(tenant.caller, id, decodeRefresh(body, DECODE_LIMITS));
  }

  function assertVersion(record: RegistrationRecord, version: Version, model: Model) {
    expect(record.tools.map(({ compiled }) => compiled).toSorted()).toEqual(
      toolsOf(version).toSorted(),
    );
    expect(record.descriptions).toEqual(version.texts);
    for (const { compiled, name } of record.tools) {
      expect(name).toBe(model.names.get(compiled) ?? name);
    }
  }

  /** The tools are what they should be, and a tool that stayed has the name that it had. */
  async function assertModel(tenant: Tenant): Promise<void> {
    const { model } = tenant;
    if (!model) return;
    const current = await tenant.current();
    assertVersion(current, model.current, model);
    model.names = new Map(current.tools.map(({ compiled, name }) => [compiled, name]));
  }

  /** What is stored of a tenant, in full. */
  async function rowsOf({ caller }: Tenant) {
    const { db } = here.database;
    const all = await db
      .selectFrom('registrations')
      .selectAll()
      .where('tenant_id', '=', caller.tenantId)
      .orderBy('id')
      .execute();
    const stored = await db
      .selectFrom('registration_documents')
      .select('id')
      .where('tenant_id', '=', caller.tenantId)
      .orderBy('id')
      .execute();
    return { all, stored };
  }

  /** One description of each registration. */
  async function assertNothingLeft(tenant: Tenant): Promise<void> {
    const { all, stored } = await rowsOf(tenant);
    expect(stored).toHaveLength(all.length);
    expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(all.map((row) => row.document_id)));
  }

  it('keeps names, one document of each, and tenants apart', {
    timeout: 300_000,
  }, async () => {
    const moves = fc.array(fc.tuple(fc.constantFrom(0, 1), move), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(moves, async (plan) => {
        const tenants = [await Tenant.create(), await Tenant.create()];
        for (const tenant of tenants) await assertModel(tenant);
        for (const [n, step] of plan) {
          const [mine, other] = n === 0 ? tenants : tenants.toReversed();
          if (!mine || !other) throw new Error('There are two tenants.');
          const before = await rowsOf(other);
          await mine.move(step);
          expect(await rowsOf(other)).toEqual(before);
          await assertModel(mine);
          await assertNothingLeft(mine);
        }
        for (const { caller, model } of tenants) {
          if (model) await registrations.delete(caller, model.id);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('stores nothing half when changes run at once in two processes', async () => {
    const ignore = (): void => undefined;
    const other = createRegistrations({
      ...here.deps,
      serve: async () => undefined,
      steps,
      onChanged: ignore,
      onError: ignore,
    });
    const seen = new Set<string>();
    const run = async (tenant: Tenant, service: Registrations, n: number): Promise<unknown> => {
      const { caller, model } = tenant;
      const id = model?.id ?? '';
      const text = `${n % 3}`;
      documents[tenant.url] = description(`list#${text} get ${n % 2 ? 'put' : 'patch'}`);
      const patch = (body: unknown) =>
        service.patch(caller, id, decodePatch(body, DECODE_LIMITS.urls));
      const actions = [
        () => service.refresh(caller, id, decodeRefresh({}, DECODE_LIMITS)),
        () => patch({ exclude: [{ operationId: n % 2 ? 'get' : 'list' }] }),
        () => patch({ descriptions: { api_list: text } }),
        () => patch({ category: n % 5 ? 'pets' : null }),
      ];
      return actions[n % actions.length]?.();
    };
    const expected = ['conflict', 'rate_limited', 'invalid_arguments'];
    for (let round = 0; round < 8; round++) {
      const tenant = await Tenant.create();
      await registrations.delete(tenant.caller, tenant.neighbour ?? '');
      const results: PromiseSettledResult<unknown>[] = [];
      // No more at once than there are connections: a change must not wait for one for longer than it may.
      for (let from = 0; from < 24; from += 8) {
        const some = Array.from({ length: 8 }, (_, n) =>
          run(tenant, n % 2 ? other : registrations, round * 7 + ((from + n) >> 1)),
        );
        results.push(...(await Promise.allSettled(some)));
      }
      for (const result of results) {
        if (result.status === 'fulfilled') seen.add('fulfilled');
        else {
          expect(expected).toContain(result.reason.code);
          seen.add(result.reason.code);
        }
      }
      await assertNothingLeft(tenant);
      const { tools } = await tenant.current();
      expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    }
    await other.close();
    expect(seen).toContain('fulfilled');
    expect(seen).toContain('conflict');
  });
});
