import { type Static, type TObject, Type } from 'typebox';
import {
  actorCaller,
  operatorOperation,
  type TenantOperationContext,
  tenantOperation,
} from '../platform/input/operation.ts';
import {
  INTEGER,
  list,
  optionalTime,
  orNull,
  recordOf,
  TEXT,
  TIME,
  timeOf,
} from '../platform/input/schema.ts';
import type { Caller } from '../platform/kernel/caller.ts';
import type { DependencyCheck } from '../platform/kernel/dependency-checks.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { type Clock, isoTime } from '../platform/kernel/time.ts';
import { type GroupedBy, MAX_GROUPS, type StatisticsQuery } from './read-series.ts';
import type { StatisticsReader } from './statistics-reader.ts';
import { STEP_MS } from './steps.ts';

/** The requests of a day with one provider key, retries included. */
export interface ProviderUse {
  readonly secret: string;
  readonly requestsToday: number;
  readonly resetsAtMs: number;
  /** The most first, as far as they are named. */
  readonly tools: readonly { readonly tool: string; readonly requests: number }[];
  readonly tenants: readonly { readonly tenantId: string; readonly requests: number }[];
}

/** A tool as far as statistics name it. */
interface NamedTool {
  readonly id: string;
  readonly tool: { readonly name: string; readonly secrets: readonly string[] };
}

/** An origin and whether requests to it are paused. */
interface OriginState {
  readonly origin: string;
  readonly circuit: 'closed' | 'open' | 'half_open';
}

interface OriginsInUse {
  readonly upstreams: {
    /** Those of presets, which all tenants share. */
    readonly shared: readonly OriginState[];
    /** Those of registered APIs. */
    readonly own: readonly OriginState[];
  };
}

export interface StatisticsOperationsDeps {
  readonly clock: Clock;
  readonly statistics: Pick<
    StatisticsReader,
    'series' | 'totals' | 'toolSummary' | 'refusals' | 'tenantUsage'
  >;
  /** The addresses that showed wrong keys to this process. */
  readonly wrongKeys: () => Static<typeof WRONG_KEYS>;
  /** What has been sent today with each provider key of the operator. */
  readonly providerUse: () => Promise<readonly ProviderUse[]>;
  readonly catalog: {
    readonly findById: (caller: Caller, toolId: string) => NamedTool | undefined;
    readonly presetEntries: readonly NamedTool[];
  };
  /** Loads the tools that the tenant registered. */
  readonly ready: (tenantId: string) => Promise<unknown> | unknown;
  /** Names of keys and of people who make calls in the dashboard. */
  readonly keyNames: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Slugs of the tenants of keys. */
  readonly keyTenants: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly tenants: () => Promise<readonly { readonly id: string; readonly slug: string }[]>;
  readonly checkDependencies: () => Promise<{
    readonly database: DependencyCheck;
    readonly redis: DependencyCheck;
  }>;
  /** The origins of the tools that a caller may use. */
  readonly figures: (caller: Caller) => OriginsInUse;
  readonly presetOrigins: () => readonly OriginState[];
}

const PERIOD = {
  from: optionalTime('At or after this time; by default a day before `to`.'),
  to: optionalTime('Before this time; by default now.'),
};

const TENANT_INPUT = {
  ...PERIOD,
  by: Type.Enum(['none', 'tool', 'key', 'upstream'], {
    default: 'none',
    description: 'What calls are grouped by.',
  }),
  top: Type.Integer({
    minimum: 1,
    maximum: 20,
    default: 5,
    description: 'How many groups: those with the most calls.',
  }),
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'Only this tool, key or upstream.',
    }),
  ),
};

const id = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 300, description }));

const TENANT_TOTALS_INPUT = {
  ...TENANT_INPUT,
  key: id('With `by` = `tool`: only calls with this key.'),
  tool: id('With `by` = `key`: only calls of this tool.'),
};

const GATEWAY_INPUT = {
  ...TENANT_INPUT,
  by: Type.Enum(['none', 'tool', 'key', 'tenant', 'upstream'], {
    default: 'none',
    description: 'What calls are grouped by.',
  }),
};

type Input = Static<TObject<typeof GATEWAY_INPUT>> &
  Pick<Static<TObject<typeof TENANT_TOTALS_INPUT>>, 'key' | 'tool'>;

const SERIES = recordOf<Awaited<ReturnType<typeof series>>>(
  'The figures of `groups` at the times `timesMs`, which are one `step` apart.',
);
const TOTALS = recordOf<Awaited<ReturnType<typeof totals>>>(
  'The figures of `all` calls and of `groups`.',
);
const REFUSALS = recordOf<Awaited<ReturnType<typeof refusals>>>(
  'The refused requests: the `total`, the `reasons` with their `points` at the times `timesMs`, which are one `step` apart, and the `subjects` (keys or tenants) that had most.',
);
const STATUS = recordOf<Awaited<ReturnType<typeof status>>>(
  'The state of `dependencies`, the number of `upstreamsInUse`, and the `circuits` that are not closed.',
);
const WRONG_KEYS = Type.Object({
  total: Type.Integer({ description: 'Of the addresses that are remembered: 48 hours.' }),
  addresses: list(
    Type.Object({ address: TEXT, count: INTEGER, firstAt: TIME, lastAt: TIME }),
    MAX_GROUPS,
  ),
});
const QUOTA = recordOf<ReturnType<typeof describeUse>>(
  'A `secret` with its `requestsToday`, `resetsAt`, and the `tools` and tenants (`users`) with the most requests.',
);

/** Figures of calls, and how the gateway is now: of a tenant for its members, of all for operators. */
export const createStatisticsOperations = (deps: StatisticsOperationsDeps) => ({
  ...createTenantOperations(deps),
  ...createGatewayOperations(deps),
  ...createRefusalOperations(deps),
});

const createTenantOperations = (deps: StatisticsOperationsDeps) => ({
  'GET /tenants/:tenant/statistics/series': tenantOperation('viewer', {
    name: 'statistics series',
    summary: 'Show the calls of a tenant over time.',
    input: TENANT_INPUT,
    output: SERIES,
    handle: async (context, input) => series(deps, input, await callerOf(deps, context)),
  }),
  'GET /tenants/:tenant/statistics/totals': tenantOperation('viewer', {
    name: 'statistics totals',
    summary: 'Show the calls of a tenant together.',
    input: TENANT_TOTALS_INPUT,
    output: TOTALS,
    handle: async (context, input) => totals(deps, input, await callerOf(deps, context)),
  }),
  'GET /tenants/:tenant/statistics/tools/:tool': tenantOperation('viewer', {
    name: 'statistics tool',
    summary: 'Show the calls of one tool by a tenant today and within the last 24 hours.',
    input: {
      tool: Type.String({ minLength: 1, maxLength: 300, description: 'Id of the tool.' }),
    },
    output: Type.Object({
      summary: orNull(
        recordOf<ToolSummary>('`toolId`, `callsToday` and the figures of `lastDay`.'),
      ),
    }),
    handle: async (context, { tool }) => {
      const caller = await callerOf(deps, context);
      const toolId = toolIdOf(deps, tool, caller);
      const [summary] = await deps.statistics.toolSummary(caller.tenantId, [toolId]);
      return { summary: summary ?? null };
    },
  }),
  'GET /tenants/:tenant/statistics/status': tenantOperation('viewer', {
    name: 'statistics status',
    summary: 'Show whether what the tools of a tenant need is available now.',
    input: {},
    output: STATUS,
    handle: async (context) => {
      const { upstreams } = deps.figures(actorCaller(context));
      return status(deps, [...upstreams.shared, ...upstreams.own]);
    },
  }),
});

const createGatewayOperations = (deps: StatisticsOperationsDeps) => ({
  'GET /statistics/series': operatorOperation({
    name: 'gateway series',
    summary: 'Show the calls of all tenants over time.',
    input: GATEWAY_INPUT,
    output: SERIES,
    handle: (_context, input) => series(deps, input),
  }),
  'GET /statistics/totals': operatorOperation({
    name: 'gateway totals',
    summary: 'Show the calls of all tenants together.',
    input: GATEWAY_INPUT,
    output: TOTALS,
    handle: (_context, input) => totals(deps, input),
  }),
  'GET /statistics/tenants': operatorOperation({
    name: 'gateway tenants',
    summary: 'Show the calls, failures and refused requests of today of every tenant that had any.',
    input: {},
    output: Type.Object({
      tenants: list(
        Type.Object({
          tenant: TEXT,
          callsToday: INTEGER,
          failuresToday: INTEGER,
          refusedToday: INTEGER,
        }),
      ),
    }),
    handle: async () => {
      const slugs = await slugsOf(deps);
      const used = await deps.statistics.tenantUsage();
      const tenants = used.flatMap(({ tenantId, ...figures }) => {
        const tenant = slugs.get(tenantId);
        return tenant === undefined ? [] : [{ tenant, ...figures }];
      });
      return { tenants };
    },
  }),
  'GET /statistics/status': operatorOperation({
    name: 'gateway status',
    summary: 'Show whether the database, Redis and the upstreams of presets are available now.',
    input: {},
    output: STATUS,
    handle: () => status(deps, deps.presetOrigins()),
  }),
  'GET /statistics/quota': operatorOperation({
    name: 'gateway quota',
    summary: 'Show how many requests were made today with each provider key.',
    input: {},
    output: Type.Object({ quotas: list(QUOTA) }),
    handle: async () => {
      const tenants = await slugsOf(deps);
      const uses = await deps.providerUse();
      return { quotas: uses.map((use) => describeUse(use, tenants)) };
    },
  }),
});

const createRefusalOperations = (deps: StatisticsOperationsDeps) => ({
  'GET /tenants/:tenant/statistics/refusals': tenantOperation('viewer', {
    name: 'statistics refusals',
    summary: 'Show the requests that were refused to the keys of a tenant, by reason.',
    input: { ...PERIOD, key: id('Only this key.') },
    output: REFUSALS,
    handle: ({ tenant }, input) => refusals(deps, input, tenant.id),
  }),
  'GET /statistics/refusals': operatorOperation({
    name: 'gateway refusals',
    summary:
      'Show the requests that were refused, by reason and tenant, and the addresses that showed wrong keys to the process that responds.',
    input: PERIOD,
    output: Type.Object({ refusals: REFUSALS, wrongKeys: WRONG_KEYS }),
    handle: async (_context, input) => ({
      refusals: await refusals(deps, input, null),
      wrongKeys: deps.wrongKeys(),
    }),
  }),
});

type ToolSummary = Awaited<ReturnType<StatisticsReader['toolSummary']>>[number];

async function callerOf(
  { ready }: StatisticsOperationsDeps,
  context: TenantOperationContext,
): Promise<Caller> {
  await ready(context.tenant.id);
  return actorCaller(context);
}

async function series(deps: StatisticsOperationsDeps, input: Input, caller?: Caller) {
  const { groups, ...rest } = await deps.statistics.series(queryOf(deps, input, caller));
  return { ...rest, groups: await named(deps, input, groups, caller) };
}

async function totals(deps: StatisticsOperationsDeps, input: Input, caller?: Caller) {
  const { all, groups } = await deps.statistics.totals(queryOf(deps, input, caller));
  return { all, groups: await named(deps, input, groups, caller) };
}

/** With the names of keys; over all tenants (null), of tenants. */
async function refusals(
  deps: StatisticsOperationsDeps,
  { key, ...period }: Static<TObject<typeof PERIOD>> & { readonly key?: string },
  tenantId: string | null,
) {
  const { subjects, ...found } = await deps.statistics.refusals({
    ...timesOf(deps, period),
    tenantId,
    apiKeyId: key,
  });
  const names = await subjectNames(
    deps,
    tenantId === null ? 'tenant' : 'key',
    subjects.map(({ subject }) => subject),
  );
  return {
    ...found,
    subjects: subjects.map((each) => ({ ...each, name: names.get(each.subject) ?? null })),
  };
}

function queryOf(
  deps: StatisticsOperationsDeps,
  { by, top, subject, key, tool, ...period }: Input,
  caller?: Caller,
): StatisticsQuery {
  const subjects = subject === undefined ? undefined : [subject];
  const of = partOf(deps, { by, key, tool }, caller);
  return { ...timesOf(deps, period), tenantId: caller?.tenantId ?? null, by, top, subjects, of };
}

/** The key or the tool that calls must have. */
function partOf(
  deps: StatisticsOperationsDeps,
  { by, key, tool }: Record<'key' | 'tool', string | undefined> & Pick<Input, 'by'>,
  caller?: Caller,
): StatisticsQuery['of'] {
  if (key === undefined && tool === undefined) return undefined;
  if (key !== undefined && tool === undefined && by === 'tool') return { kind: 'key', id: key };
  if (tool !== undefined && key === undefined && by === 'key') {
    return { kind: 'tool', id: toolIdOf(deps, tool, caller) };
  }
  throw new GatewayError(
    'invalid_arguments',
    'Give `key` with by=tool, or `tool` with by=key, and no other grouping.',
  );
}

/** By id or by name. */
const toolIdOf = (
  { catalog }: StatisticsOperationsDeps,
  tool: string,
  caller: Caller = NO_TENANT,
): string => catalog.findById(caller, tool)?.id ?? tool;

/** Without times, the last 24 hours. */
function timesOf(
  { clock }: StatisticsOperationsDeps,
  { from, to }: Static<TObject<typeof PERIOD>>,
) {
  const toMs = to === undefined ? clock.now() : timeOf('to', to);
  return { toMs, fromMs: from === undefined ? toMs - STEP_MS.day : timeOf('from', from) };
}

interface CountedGroup {
  readonly subject: string | null;
  readonly figures: { readonly calls: number };
}

/** Groups with the names of their subjects, and over all tenants with the tenants of keys. */
async function named<Group extends CountedGroup>(
  deps: StatisticsOperationsDeps,
  { by }: Input,
  groups: readonly Group[],
  caller?: Caller,
) {
  // A caller may ask for any subject; one without calls here may be another tenant's key.
  const subjects = groups.flatMap(({ subject, figures }) =>
    subject !== null && figures.calls > 0 ? subject : [],
  );
  const names = await subjectNames(deps, by, subjects, caller);
  const tenants = await deps.keyTenants(by === 'key' && !caller ? subjects : []);
  return groups.map((group) => ({
    ...group,
    name: names.get(group.subject ?? '') ?? null,
    tenant: tenants.get(group.subject ?? '') ?? null,
  }));
}

/** What people call the subjects of statistics, by subject. */
async function subjectNames(
  deps: StatisticsOperationsDeps,
  by: GroupedBy,
  subjects: readonly string[],
  caller?: Caller,
): Promise<ReadonlyMap<string, string>> {
  if (by === 'key') return deps.keyNames(subjects);
  if (by === 'tenant') return slugsOf(deps);
  if (by !== 'tool') return new Map();
  return new Map(subjects.map((id) => [id, toolName(deps, id, caller)]));
}

const slugsOf = async ({ tenants }: StatisticsOperationsDeps) =>
  new Map((await tenants()).map(({ id, slug }) => [id, slug]));

/** Over all tenants, only tools of presets are known by their names. */
const NO_TENANT: Caller = { tenantId: '', tenantSlug: '', apiKeyId: '', allowedTools: null };

/** A tool that no longer exists has the last part of its id. */
const toolName = (
  { catalog }: StatisticsOperationsDeps,
  toolId: string,
  caller: Caller = NO_TENANT,
): string =>
  catalog.findById(caller, toolId)?.tool.name ?? toolId.slice(toolId.lastIndexOf('.') + 1);

async function status(
  { checkDependencies }: StatisticsOperationsDeps,
  upstreams: readonly OriginState[],
) {
  const paused = upstreams.filter(({ circuit }) => circuit !== 'closed');
  return {
    dependencies: Object.entries(await checkDependencies()).map(([name, check]) => ({
      name,
      ...check,
    })),
    upstreamsInUse: upstreams.length,
    circuits: paused.map(({ origin, circuit }) => ({ origin, circuit })),
  };
}

const describeUse = (
  { secret, requestsToday, resetsAtMs, tools, tenants }: ProviderUse,
  slugs: ReadonlyMap<string, string>,
) => ({
  secret,
  requestsToday,
  resetsAt: isoTime(resetsAtMs),
  tools,
  users: tenants.map(({ tenantId, requests }) => ({
    tenant: slugs.get(tenantId) ?? null,
    requests,
  })),
});
