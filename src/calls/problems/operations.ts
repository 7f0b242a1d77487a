import { Type } from 'typebox';
import type { ApiKeyRecord } from '../../access/keys/api-key-record.ts';
import { operatorOperation, tenantOperation } from '../../platform/input/operation.ts';
import { list } from '../../platform/input/schema.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { createKept } from '../../platform/kernel/memo.ts';
import { type Clock, isoTime } from '../../platform/kernel/time.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { inLanguage, LANGUAGES, type Language } from '../../tools/catalog/in-language.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { createKeyViews, type KeyViewsDeps } from '../provider-keys/key-views.ts';
import { type BrokenTool, toolProblems } from './broken-tools.ts';
import type { FailingTool, FailingTools } from './failing-tools.ts';
import { explain, type HeldKey, quotasOf, refusalsOf } from './key-problems.ts';
import { MAX_PROBLEMS, mostUrgent, NOTHING_ELSE, PROBLEM, type Problem } from './problem.ts';

interface NamedTenant {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

export interface ProblemOperationsDeps extends KeyViewsDeps {
  readonly catalog: Pick<Catalog, 'presetEntries' | 'list' | 'findById'>;
  readonly clock: Clock;
  readonly failingTools: FailingTools;
  /** Loads the tools that the tenant registered. */
  readonly ready: (tenantId: string) => Promise<unknown> | unknown;
  /** The APIs that a tenant has registered. */
  readonly apisOf: (
    tenantId: string,
  ) => Promise<readonly { readonly id: string; readonly slug: string }[]>;
  /** API keys of a tenant that end before a time, at most `limit`. */
  readonly endingKeys: (
    tenantId: string,
    endsBeforeMs: number,
    limit: number,
  ) => Promise<readonly ApiKeyRecord[]>;
  /** The tenants whose calls failed within the last 24 hours, not because of callers; at most `limit`, the most first. */
  readonly failingTenants: (limit: number) => Promise<readonly NamedTenant[]>;
}

const INPUT = {
  lang: Type.Optional(
    Type.Enum([...LANGUAGES], { description: 'Language of names and titles: `en` or `ko`.' }),
  ),
};
const PROBLEMS = Type.Object({ problems: list(PROBLEM, MAX_PROBLEMS) });

/** What does not work for a tenant, and for the gateway as a whole. */
export function createProblemOperations(deps: ProblemOperationsDeps) {
  const kept = createKept<readonly Problem[]>(MAX_KEPT, KEPT_MS);
  return {
    'GET /tenants/:tenant/problems': tenantOperation('viewer', {
      name: 'problems list',
      summary: 'List what does not work for a tenant, most urgent first, and what to do about it.',
      input: INPUT,
      output: PROBLEMS,
      handle: async ({ tenant }, { lang }) => ({
        problems: await kept(`${tenant.id} ${lang}`, () => readOfTenant(deps, tenant, lang)),
      }),
    }),
    'GET /problems': operatorOperation({
      name: 'gateway problems',
      summary: 'List what does not work for the gateway as a whole, most urgent first.',
      input: INPUT,
      output: PROBLEMS,
      handle: async (_context, { lang }) => ({
        problems: await kept(` ${lang}`, () => readOfGateway(deps, lang)),
      }),
    }),
  };
}

/** Lists that are kept for a moment, and how long. */
const MAX_KEPT = 1000;
const KEPT_MS = 5000;

async function readOfTenant(
  deps: ProblemOperationsDeps,
  tenant: Pick<NamedTenant, 'id' | 'slug'>,
  language?: Language,
): Promise<readonly Problem[]> {
  const nowMs = deps.clock.now();
  await deps.ready(tenant.id);
  const [broken, keys, endingKeys] = await Promise.all([
    brokenTools(deps, tenant, language),
    createKeyViews(deps).listTenantKeys(tenant.id, language),
    deps.endingKeys(tenant.id, nowMs + ENDS_SOON_MS, MAX_PROBLEMS),
  ]);
  const own = keys.filter(({ owner }) => owner === 'tenant');
  // A key of the operator's is a problem of the tenant as far as its calls fail, or it uses the quota.
  const used = keys.map((key) => ({ ...key, datasets: key.datasets.filter(isUsed) }));
  const explained = explain([...own.flatMap(refusalsOf), ...used.flatMap(quotasOf)], broken);
  const apiIds = await readApiIds(deps, tenant, explained.rest);
  return mostUrgent([
    ...toolProblems(explained.rest, { nowMs, apiIds }),
    ...explained.problems,
    ...endingKeys.flatMap(endProblem),
  ]);
}

const isUsed = ({ quota }: HeldKey['datasets'][number]): boolean => (quota?.ownUsed ?? 0) > 0;

/** The tools that fail for a tenant. One that was deleted needs no repair. */
async function brokenTools(
  { failingTools, catalog, providerKeys }: ProblemOperationsDeps,
  { id: tenantId, slug: tenantSlug }: Pick<NamedTenant, 'id' | 'slug'>,
  language?: Language,
): Promise<BrokenTool[]> {
  const caller: Caller = { tenantId, tenantSlug, apiKeyId: '', allowedTools: null };
  const keys = providerKeys.of(tenantId);
  const ownerOf = (name: string): HeldKey['owner'] =>
    keys?.stored.has(name) || keys?.withheld.has(name) ? 'tenant' : 'operator';
  const keyNameOf = ({ connection, source, tool }: CatalogEntry): string | undefined => {
    const [secret] = tool.secrets;
    if (secret === undefined || source !== 'registered') return secret;
    return connection?.current?.().keyInUse?.(secret)?.name;
  };
  const failing = await failingTools(tenantId);
  return [...failing.values()].flatMap((tool) => {
    const entry = catalog.findById(caller, tool.toolId);
    const name = entry && keyNameOf(entry);
    const key = name === undefined ? null : { name, owner: ownerOf(name) };
    return entry ? [{ ...tool, entry: inLanguage(entry, language), key }] : [];
  });
}

/** The ids of registrations whose tools fail, by the id of their server. */
async function readApiIds(
  { apisOf }: ProblemOperationsDeps,
  tenant: Pick<NamedTenant, 'id' | 'slug'>,
  broken: readonly BrokenTool[],
): Promise<ReadonlyMap<string, string>> {
  if (!broken.some(({ entry }) => entry.source === 'registered')) return new Map();
  const apis = await apisOf(tenant.id);
  return new Map(apis.map(({ id, slug }) => [`@${tenant.slug}/${slug}`, id]));
}

/** An API key that ends within this time is a problem, unless another one replaces it. */
const ENDS_SOON_MS = 7 * 86_400_000;

const endProblem = ({ id, name, kind, rotatedTo, expiresAtMs }: ApiKeyRecord): Problem[] =>
  kind !== null || rotatedTo !== null || expiresAtMs === null
    ? []
    : [
        {
          ...NOTHING_ELSE,
          ...{ kind: 'api_key', id, name, endsAt: isoTime(expiresAtMs) },
          ...{ repair: 'renew', by: 'admin' },
        },
      ];

/** Tenants whose failures are examined. */
const MAX_TENANTS = 20;

/** The keys of the operator, the tools of presets that fail with them or with none, and the tenants in which anything fails. */
async function readOfGateway(
  deps: ProblemOperationsDeps,
  language?: Language,
): Promise<readonly Problem[]> {
  const nowMs = deps.clock.now();
  const tenants = await deps.failingTenants(MAX_TENANTS);
  const [keys, failing] = await Promise.all([
    createKeyViews(deps).listOperatorKeys(language),
    Promise.all(tenants.map((tenant) => brokenTools(deps, tenant, language))),
  ]);
  const held = keys.map((key): HeldKey => ({ ...key, owner: 'operator' }));
  const shared = failing.flat().filter(isShared);
  const { problems, rest } = explain(
    [...held.flatMap(refusalsOf), ...held.flatMap(quotasOf)],
    [...Map.groupBy(shared, ({ toolId }) => toolId).values()].flatMap(together),
  );
  return mostUrgent([
    ...toolProblems(rest, { nowMs, apiIds: new Map() }),
    ...problems,
    ...tenants.flatMap((tenant, at) => tenantProblem(tenant, failing[at] ?? [])),
  ]);
}

const isShared = ({ entry, key }: BrokenTool): boolean =>
  entry.source === 'preset' && key?.owner !== 'tenant';

/** A tool as it fails in several tenants. */
function together(tools: readonly BrokenTool[]): BrokenTool[] {
  const [most] = tools.toSorted((a, b) => b.calls - a.calls);
  return most ? [{ ...most, ...sumOf(tools) }] : [];
}

const sumOf = (tools: readonly Pick<FailingTool, 'calls' | 'sinceMs'>[]) => ({
  calls: tools.reduce((sum, { calls }) => sum + calls, 0),
  sinceMs: Math.min(...tools.map(({ sinceMs }) => sinceMs)),
});

function tenantProblem({ slug, name }: NamedTenant, broken: readonly BrokenTool[]): Problem[] {
  if (broken.length === 0) return [];
  const { calls, sinceMs } = sumOf(broken);
  return [
    {
      ...NOTHING_ELSE,
      ...{ kind: 'tenant', id: slug, name, since: isoTime(sinceMs), calls },
      ...{ toolCount: broken.length, repair: 'look', by: 'operator' },
    },
  ];
}
