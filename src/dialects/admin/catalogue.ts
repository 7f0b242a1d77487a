import { Type } from 'typebox';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { pageOf } from '../../tools/catalog/catalog-page.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { type CatalogQuery, MAX_SEARCH_LENGTH } from '../../tools/search/search-entries.ts';
import { publicRoute, tenantRoute } from './admin-route.ts';
import { createDescribeTool, type DescribeToolDeps } from './describe-tool.ts';
import { personCaller } from './person-caller.ts';
import { toToolCard } from './tool-card.ts';

export interface CatalogueRoutesDeps extends DescribeToolDeps {
  readonly catalog: Catalog;
  /** Resolves once the tools that a tenant registered are in the catalog. */
  readonly ready: (tenantId: string) => void | Promise<void>;
}

/** Tools on one page. */
export const MAX_TOOLS = 200;

const QUERY = {
  q: Type.Optional(Type.String({ maxLength: MAX_SEARCH_LENGTH })),
  category: Type.Optional(Type.String({ maxLength: 100 })),
  source: Type.Optional(Type.Union([Type.Literal('preset'), Type.Literal('registered')])),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
  limit: Type.Integer({ minimum: 1, maximum: MAX_TOOLS, default: 60 }),
};
const TOOL = { tool: Type.String({ maxLength: 200 }) };

type ListQuery = CatalogQuery & { readonly cursor?: string; readonly limit: number };

/** The catalog as people read it: for visitors, the presets; for members of a tenant, all tools that it sees. */
export function createCatalogueRoutes(deps: CatalogueRoutesDeps) {
  const { catalog, ready } = deps;
  const describe = createDescribeTool(deps);
  return {
    'GET /catalogue': publicRoute({
      input: QUERY,
      handle: (_, query) => list(deps, catalog.presetEntries, query),
    }),
    'GET /catalogue/:tool': publicRoute({
      input: TOOL,
      handle: (_, { tool }) => {
        const entry = catalog.presetEntries.find((one) => one.tool.name === tool);
        // Whether the gateway has a secret is its operator's business.
        return describe(known(entry), { showsSecrets: false });
      },
    }),
    'GET /tenants/:tenant/catalogue': tenantRoute('viewer', {
      input: QUERY,
      handle: async (context, query) => {
        await ready(context.tenant.id);
        return list(deps, catalog.list(personCaller(context)), query);
      },
    }),
    'GET /tenants/:tenant/catalogue/:tool': tenantRoute('viewer', {
      input: TOOL,
      handle: async (context, { tool }) => {
        await ready(context.tenant.id);
        const entry = catalog.find(personCaller(context), tool);
        return describe(known(entry), { showsSecrets: true });
      },
    }),
  };
}

/** A page of the tools that match; `categories` counts all that match in each category. */
async function list(
  { catalog }: Pick<CatalogueRoutesDeps, 'catalog'>,
  entries: readonly CatalogEntry[],
  { category, cursor, limit, ...words }: ListQuery,
) {
  await catalog.prepareSearch(entries, words);
  const matches = catalog.search(entries, words);
  const counts = new Map<string, number>();
  for (const { entry } of matches) {
    counts.set(entry.category, (counts.get(entry.category) ?? 0) + 1);
  }
  const shown =
    category === undefined ? matches : matches.filter(({ entry }) => entry.category === category);
  const page = pageOf(shown, limit, cursor);
  return {
    tools: page.entries.map(toToolCard),
    nextCursor: page.nextCursor,
    total: shown.length,
    categories: [...counts]
      .map(([name, tools]) => ({ name, tools }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function known(entry: CatalogEntry | undefined): CatalogEntry {
  if (entry) return entry;
  throw new GatewayError('not_found', 'There is no such tool. It may have been deleted.');
}
