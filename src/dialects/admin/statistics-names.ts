import type { Caller } from '../../access/keys/caller.ts';
import type { Tenant } from '../../access/tenants/tenant-store.ts';
import type { GroupedBy } from '../../statistics/statistics.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';

export interface StatisticsNamesDeps {
  readonly catalog: Pick<Catalog, 'findById'>;
  /** Names of keys and of people who make calls in the dashboard. */
  readonly keyNames: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly tenants: () => Promise<readonly Tenant[]>;
}

/** Over all tenants, only tools of presets are known by their names. */
const NO_TENANT: Caller = { tenantId: '', tenantSlug: '', apiKeyId: '', allowedTools: null };

/** What people call the subjects of statistics, by subject. A tool that no longer exists has the last part of its id. */
export async function subjectNames(
  deps: StatisticsNamesDeps,
  by: GroupedBy,
  subjects: readonly string[],
  caller: Caller = NO_TENANT,
): Promise<ReadonlyMap<string, string>> {
  if (by === 'key') return deps.keyNames(subjects);
  if (by === 'tenant') return new Map((await deps.tenants()).map(({ id, slug }) => [id, slug]));
  if (by !== 'tool') return new Map();
  return new Map(subjects.map((id) => [id, toolName(deps, caller, id)]));
}

export const toolName = (
  { catalog }: Pick<StatisticsNamesDeps, 'catalog'>,
  caller: Caller = NO_TENANT,
  toolId: string,
): string =>
  catalog.findById(caller, toolId)?.tool.name ?? toolId.slice(toolId.lastIndexOf('.') + 1);
