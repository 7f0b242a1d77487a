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
import { createRegistrationStore, type RegistrationStore } from '../store/registration-store.ts';

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
  visibility: 'private' | 'public';
  isApproved: boolean;
  current: Version;
  pending: Version | null;
  /** Names of the tools of the stored versions, by the name of the description. */
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
    'show',
    'approve',
    'approve',
    'reject',
    'delete',
    'deleteNeighbour',
  ),
  operations: fc.dictionary(fc.constantFrom(...TOOLS), fc.constantFrom('a', 'b')),
  excluded: fc.subarray([...TOOLS]),
  tool: fc.constantFrom(...TOOLS),
  text: fc.option(fc.constantFrom('x', 'y')),
  visibility: fc.constantFrom('private', 'public'),
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

/** What other tenants' models read of each tool. */
const readable = (version: Version) =>
  new Map(toolsOf(version).map((name) => [name, [version.operations[name], version.texts[name]]]));

const isDifferent = (one: Version, other: Version): boolean =>
  JSON.stringify([...readable(one)].sort()) !== JSON.stringify([...readable(other)].sort());

/** Applies a new version to the model. */
function place(model: Model, next: Version): void {
  const isShared = model.visibility === 'public' && model.isApproved;
  if (isShared && isDifferent(next, model.current)) model.pending = next;
  else Object.assign(model, { current: next, pending: null });
}

describeStores('any sequence of changes to registrations', (backend) => {
  let here: RegistrationPlace;
  let registrations: Registrations;
  let operator: RegistrationStore;
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
    operator = createRegistrationStore({ ...here.deps, actor: 'cli' });
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
        visibility: 'private',
        isApproved: true,
        current: { operations: { list: 'a', get: 'a' }, excluded: [], texts: {} },
        pending: null,
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

    async awaiting(): Promise<RegistrationRecord | undefined> {
      return (await operator.awaiting({ limit: 1000 })).find(({ id }) => id === this.model?.id);
    }
  }

  const refused = (running: Promise<unknown>, code: string): Promise<void> =>
    expect(running).rejects.toMatchObject({ code });

  const latestOf = ({ current, pending }: Model): Version => pending ?? current;
  const waits = ({ isApproved, pending }: Model): boolean => !isApproved || pending !== null;

  type Moves = Record<
    Exclude<Move['kind'], 'deleteNeighbour'>,
    (tenant: Tenant, model: Model, step: Move) => Promise<void>
  >;
  const MOVES: Moves = {
    refresh: async (tenant, model, { operations }) => {
      const next = tidy({ ...latestOf(model), operations });
      const refreshing = refresh(tenant, model, operations);
      if (toolsOf(next).length === 0) return refused(refreshing, 'unprocessable');
      const { outcome } = await refreshing;
      const isChanged = isDifferent(next, model.current);
      place(model, next);
      const changed = model.pending ? 'awaiting_approval' : 'updated';
      expect(outcome).toBe(isChanged ? changed : 'unchanged');
    },
    check: async (tenant, model, { operations }) => {
      const next = tidy({ ...latestOf(model), operations });
      const checking = refresh(tenant, model, operations, { dry_run: true });
      if (toolsOf(next).length === 0) return refused(checking, 'unprocessable');
      expect((await checking).outcome).toBe('checked');
    },
    exclude: async (tenant, model, { excluded }) => {
      const next = tidy({ ...latestOf(model), excluded });
      const exclude = excluded.map((operationId) => ({ operationId }));
      const patching = tenant.patch({ exclude });
      if (toolsOf(next).length === 0) return refused(patching, 'unprocessable');
      await patching;
      place(model, next);
    },
    describe: async (tenant, model, { tool, text }) => {
      const latest = latestOf(model);
      const descriptions = { [model.names.get(tool) ?? tool]: text };
      const patching = tenant.patch({ descriptions });
      if (!toolsOf(latest).includes(tool)) return refused(patching, 'invalid_arguments');
      await patching;
      const { [tool]: _, ...others } = latest.texts;
      place(model, { ...latest, texts: text === null ? others : { ...others, [tool]: text } });
    },
    show: async (tenant, model, { visibility }) => {
      await tenant.patch({ visibility });
      if (visibility === 'private') {
        Object.assign(model, { current: latestOf(model), pending: null });
      }
      if (visibility !== model.visibility) model.isApproved = visibility === 'private';
      model.visibility = visibility;
    },
    approve: async (_, model) => {
      const approving = operator.approve(model.id);
      if (!waits(model)) return refused(approving, 'conflict');
      await approving;
      Object.assign(model, { isApproved: true, current: latestOf(model), pending: null });
    },
    reject: async (_, model) => {
      const rejecting = operator.reject(model.id);
      if (!waits(model)) return refused(rejecting, 'conflict');
      await rejecting;
      if (!model.isApproved) model.visibility = 'private';
      Object.assign(model, { isApproved: true, pending: null });
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

  function assertVersion(record: RegistrationRecord | undefined, version: Version, model: Model) {
    expect(record?.tools.map(({ compiled }) => compiled).toSorted()).toEqual(
      toolsOf(version).toSorted(),
    );
    expect(record?.descriptions).toEqual(version.texts);
    for (const { compiled, name } of record?.tools ?? []) {
      expect(name).toBe(model.names.get(compiled) ?? name);
    }
  }

  /** The tools are what they should be, and a tool that stayed has the name that it had. */
  async function assertModel(tenant: Tenant): Promise<void> {
    const { model } = tenant;
    if (!model) return;
    const current = await tenant.current();
    expect(current).toMatchObject({
      visibility: model.visibility,
      status: model.isApproved ? 'registered' : 'awaiting_approval',
      pendingVersion: model.pending ? expect.any(Number) : null,
    });
    assertVersion(current, model.current, model);
    const waiting = await tenant.awaiting();
    expect(waiting !== undefined).toBe(model.pending !== null || !model.isApproved);
    if (model.pending) assertVersion(waiting, model.pending, model);
    const named = [...current.tools, ...(waiting?.tools ?? [])];
    model.names = new Map(named.map(({ compiled, name }) => [compiled, name]));
    const isShared = (await operator.layer('public')).some(({ id }) => id === model.id);
    expect(isShared).toBe(model.visibility === 'public' && model.isApproved);
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
    const ids = all.map(({ id }) => id);
    const versions = await db
      .selectFrom('registration_versions')
      .selectAll()
      .where('registration_id', 'in', ['', ...ids])
      .orderBy('version')
      .execute();
    const stored = await db
      .selectFrom('registration_documents')
      .select('id')
      .where('tenant_id', '=', caller.tenantId)
      .orderBy('id')
      .execute();
    return { all, versions, stored };
  }

  /** One row for each version that is needed, and each description once. */
  async function assertNothingLeft(tenant: Tenant): Promise<void> {
    const { all, versions, stored } = await rowsOf(tenant);
    const needed = all.flatMap(({ version, pending_version }) => [version, pending_version ?? []]);
    expect(versions).toHaveLength(needed.flat().length);
    const used = new Set(versions.map(({ document_id }) => document_id));
    expect(stored.map(({ id }) => id)).toEqual([...used].toSorted());
  }

  it('keeps names, at most one waiting version, every document once, and tenants apart', {
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
        () => service.refresh(caller, id, decodeRefresh(null, DECODE_LIMITS)),
        () => patch({ exclude: [{ operationId: n % 2 ? 'get' : 'list' }] }),
        () => patch({ descriptions: { api_list: text } }),
        () => patch({ visibility: n % 5 ? 'public' : 'private' }),
        () => operator.approve(id),
        () => operator.reject(id),
      ];
      return actions[n % actions.length]?.();
    };
    const expected = ['conflict', 'rate_limited', 'invalid_arguments'];
    for (let round = 0; round < 8; round++) {
      const tenant = await Tenant.create();
      await registrations.delete(tenant.caller, tenant.neighbour ?? '');
      await tenant.patch({ visibility: 'public' });
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
