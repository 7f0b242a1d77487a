import { ALLOWED_TOOLS } from '../../access/keys/operations.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { type TenantContext, tenantRoute } from './admin-route.ts';

export interface KeyToolsDeps {
  readonly catalog: Pick<Catalog, 'list'>;
  /** Resolves once the tenant's own tools are in the catalog. */
  readonly ready: (tenantId: string) => unknown;
}

/** Tools that one response names. */
export const MAX_CHOICES = 2000;

/** Which tools a key may be given, and which ones a list of allowed tools selects. */
export const createKeyToolRoutes = ({ catalog, ready }: KeyToolsDeps) => {
  const toolsOf = async (
    { tenant, person }: TenantContext,
    allowedTools: readonly string[] | null,
  ): Promise<readonly CatalogEntry[]> => {
    await ready(tenant.id);
    return catalog.list({
      tenantId: tenant.id,
      tenantSlug: tenant.slug,
      apiKeyId: person.id,
      allowedTools,
    });
  };
  return {
    'GET /tenants/:tenant/key-tools': tenantRoute('viewer', {
      input: {},
      handle: async (context) => {
        const entries = await toolsOf(context, null);
        return {
          total: entries.length,
          categories: categoriesOf(entries),
          tools: entries.slice(0, MAX_CHOICES).map(choiceOf),
        };
      },
    }),
    'POST /tenants/:tenant/key-tools/preview': tenantRoute('viewer', {
      input: { allowedTools: ALLOWED_TOOLS },
      handle: async (context, { allowedTools }) => {
        const entries = await toolsOf(context, allowedTools);
        return {
          total: entries.length,
          names: entries.slice(0, MAX_CHOICES).map(({ tool }) => tool.name),
        };
      },
    }),
  };
};

/** A category selects presets only, so that only these count. */
function categoriesOf(entries: readonly CatalogEntry[]) {
  const presets = entries.filter(({ source }) => source === 'preset');
  return [...Map.groupBy(presets, ({ category }) => category)]
    .map(([name, tools]) => ({ name, tools: tools.length, pattern: `category:${name}` }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const choiceOf = ({ id, tool, category, source }: CatalogEntry) => ({
  name: tool.name,
  category,
  source,
  /** What selects exactly this tool. */
  pattern: source === 'preset' ? tool.name : id,
});
