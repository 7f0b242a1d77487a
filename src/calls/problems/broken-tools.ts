import { isoTime, zonedDay } from '../../platform/kernel/time.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { FailingTool } from './failing-tools.ts';
import { MAX_TOOLS, NOTHING_ELSE, type Problem } from './problem.ts';

/** A tool that fails. */
export interface BrokenTool extends FailingTool {
  readonly entry: CatalogEntry;
  /** The provider key that its calls send; null if they send none. */
  readonly key: { readonly name: string; readonly owner: 'tenant' | 'operator' } | null;
}

/** Several tools of one API or preset that fail for the same cause are one problem. `apiIds`: of registrations, by server. */
export function toolProblems(
  broken: readonly BrokenTool[],
  { nowMs, apiIds }: { readonly nowMs: number; readonly apiIds: ReadonlyMap<string, string> },
): Problem[] {
  const groups = Map.groupBy(broken, ({ entry, cause }) => `${cause} ${entry.server.id}`);
  return [...groups.values()].flatMap((tools) => {
    const [first] = tools;
    if (!first) return [];
    const { tool, source, server } = first.entry;
    const isApi = source === 'registered';
    const alone = tools.length === 1 ? { id: first.toolId, name: tool.title ?? tool.name } : server;
    const id = isApi ? apiIds.get(server.id) : alone.id;
    // The API has been deleted.
    if (id === undefined) return [];
    return {
      ...NOTHING_ELSE,
      ...{ kind: isApi ? 'api' : 'tool', id, name: isApi ? server.name : alone.name },
      ...{ cause: first.cause, providerKey: first.key?.name ?? null },
      ...lossesOf(tools),
      endsAt: first.cause === 'quota' ? isoTime(resetMs(first, nowMs)) : null,
      applyUrl: first.cause === 'not_approved' ? tool.source.docUrl : null,
      ...repairOf(first),
    };
  });
}

/** The calls of all of these tools that were lost. */
export function lossesOf(tools: readonly BrokenTool[]) {
  const byCalls = tools.toSorted((a, b) => b.calls - a.calls);
  return {
    since: isoTime(Math.min(...tools.map(({ sinceMs }) => sinceMs))),
    status: byCalls[0]?.status ?? null,
    calls: tools.reduce((sum, { calls }) => sum + calls, 0),
    tools: byCalls.slice(0, MAX_TOOLS).map(({ toolId: id, sinceMs, calls, entry }) => ({
      ...{ id, name: entry.tool.name },
      ...{ since: isoTime(sinceMs), calls },
    })),
    toolCount: tools.length,
  };
}

/** Where providers are who do not say when their day begins. */
const DEFAULT_ZONE = 'Asia/Seoul';

const resetMs = ({ entry: { tool } }: BrokenTool, nowMs: number): number =>
  zonedDay(nowMs, tool.quota?.zone ?? DEFAULT_ZONE).endMs;

function repairOf({ cause, key, entry }: BrokenTool): Pick<Problem, 'repair' | 'by'> {
  const isApi = entry.source === 'registered';
  const by = isApi || key?.owner === 'tenant' ? 'admin' : 'operator';
  switch (cause) {
    case 'operator_key':
      return { repair: isApi && !key ? 'replace_credential' : 'replace_key', by };
    case 'not_approved':
      return { repair: 'apply', by };
    case 'upstream':
    case 'network':
      return isApi ? { repair: 'check_api', by } : { repair: 'wait', by: 'provider' };
    default:
      return { repair: 'wait', by: 'provider' };
  }
}
