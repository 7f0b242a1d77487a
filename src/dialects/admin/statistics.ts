import { type Static, type TObject, Type } from 'typebox';
import type { Caller } from '../../access/keys/caller.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { Statistics, StatisticsQuery } from '../../statistics/statistics.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { operatorRoute, tenantRoute } from './admin-route.ts';
import { timeOf } from './audit-input.ts';
import { personCaller } from './person-caller.ts';
import { type StatisticsNamesDeps, subjectNames } from './statistics-names.ts';
import type { StatusRoutesDeps } from './statistics-status.ts';

export interface StatisticsRoutesDeps extends StatisticsNamesDeps, StatusRoutesDeps {
  readonly clock: Clock;
  readonly statistics: Pick<Statistics, 'series' | 'totals' | 'toolSummary' | 'providerQuota'>;
  readonly catalog: Pick<Catalog, 'findById' | 'presetEntries'>;
  /** Loads the tools that the tenant registered. */
  readonly ready: (tenantId: string) => Promise<unknown> | unknown;
}

const DAY_MS = 86_400_000;

const TENANT_INPUT = {
  from: Type.Optional(Type.String({ maxLength: 40 })),
  to: Type.Optional(Type.String({ maxLength: 40 })),
  by: Type.Enum(['none', 'tool', 'key', 'upstream'], { default: 'none' }),
  top: Type.Integer({ minimum: 1, maximum: 20, default: 5 }),
  /** Only this tool, key or upstream. */
  subject: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
};

const OPERATOR_INPUT = {
  ...TENANT_INPUT,
  by: Type.Enum(['none', 'tool', 'key', 'tenant', 'upstream'], { default: 'none' }),
};

type Input = Static<TObject<typeof OPERATOR_INPUT>>;

/** `/statistics`: figures of one tenant's calls, and for operators of all. */
export const createStatisticsRoutes = (deps: StatisticsRoutesDeps) => ({
  'GET /tenants/:tenant/statistics/series': tenantRoute('viewer', {
    input: TENANT_INPUT,
    handle: async (context, input) => series(deps, input, await callerOf(deps, context)),
  }),
  'GET /tenants/:tenant/statistics/totals': tenantRoute('viewer', {
    input: TENANT_INPUT,
    handle: async (context, input) => totals(deps, input, await callerOf(deps, context)),
  }),
  'GET /tenants/:tenant/statistics/tools/:tool': tenantRoute('viewer', {
    input: { tool: Type.String({ minLength: 1, maxLength: 300 }) },
    handle: async (context, { tool }) => {
      const caller = await callerOf(deps, context);
      const toolId = deps.catalog.findById(caller, tool)?.id ?? tool;
      const [summary] = await deps.statistics.toolSummary(caller.tenantId, [toolId]);
      return { summary: summary ?? null };
    },
  }),
  'GET /statistics/series': operatorRoute({
    input: OPERATOR_INPUT,
    handle: (_, input) => series(deps, input),
  }),
  'GET /statistics/totals': operatorRoute({
    input: OPERATOR_INPUT,
    handle: (_, input) => totals(deps, input),
  }),
});

async function callerOf(
  { ready }: StatisticsRoutesDeps,
  context: Parameters<typeof personCaller>[0],
): Promise<Caller> {
  await ready(context.tenant.id);
  return personCaller(context);
}

async function series(deps: StatisticsRoutesDeps, input: Input, caller?: Caller) {
  const { groups, ...rest } = await deps.statistics.series(queryOf(deps, input, caller));
  return { ...rest, groups: await named(deps, input, groups, caller) };
}

async function totals(deps: StatisticsRoutesDeps, input: Input, caller?: Caller) {
  const { all, groups } = await deps.statistics.totals(queryOf(deps, input, caller));
  return { all, groups: await named(deps, input, groups, caller) };
}

/** Without times, the last 24 hours. */
function queryOf({ clock }: StatisticsRoutesDeps, input: Input, caller?: Caller): StatisticsQuery {
  const { by, top, subject } = input;
  const toMs = timeOf('to', input.to) ?? clock.now();
  const fromMs = timeOf('from', input.from) ?? toMs - DAY_MS;
  const subjects = subject === undefined ? undefined : [subject];
  return { tenantId: caller?.tenantId ?? null, fromMs, toMs, by, top, subjects };
}

/** Groups with the names of their subjects; null for a group without a subject or a name. */
async function named<Group extends { readonly subject: string | null }>(
  deps: StatisticsRoutesDeps,
  { by }: Input,
  groups: readonly Group[],
  caller?: Caller,
) {
  const subjects = groups.flatMap(({ subject }) => subject ?? []);
  const names = await subjectNames(deps, by, subjects, caller);
  return groups.map((group) => ({ ...group, name: names.get(group.subject ?? '') ?? null }));
}
