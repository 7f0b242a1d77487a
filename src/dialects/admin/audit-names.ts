import type { ApiKeyStore } from '../../access/keys/api-key-store.ts';
import { ERROR_TABLE } from '../../platform/kernel/error-table.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { Tool } from '../../tools/model.ts';
import { tenantRoute } from './admin-route.ts';

export interface AuditNamesDeps {
  readonly apiKeys: Pick<ApiKeyStore, 'list'>;
  readonly catalog: Pick<Catalog, 'list'>;
  readonly ready: (tenantId: string) => Promise<unknown> | unknown;
}

/** What filters of the audit log offer; the newest keys and the first tools, if there are very many. */
const MAX_NAMES = 2000;

/** `GET /tenants/:tenant/audit/names`: tools, upstreams, keys and causes by which a person may search the audit log. */
export const createAuditNamesRoutes = ({ apiKeys, catalog, ready }: AuditNamesDeps) => ({
  'GET /tenants/:tenant/audit/names': tenantRoute('viewer', {
    input: {},
    handle: async ({ tenant, person }) => {
      await ready(tenant.id);
      const caller = {
        tenantId: tenant.id,
        tenantSlug: tenant.slug,
        apiKeyId: person.id,
        allowedTools: null,
      };
      const keys = await apiKeys.list({ tenantId: tenant.id, limit: MAX_NAMES });
      const tools = catalog.list(caller).map(({ tool }) => tool);
      return {
        tools: tools.slice(0, MAX_NAMES).map(({ name }) => name),
        upstreams: hostsOf(tools).slice(0, MAX_NAMES),
        keys: keys.map(({ id, name, prefix }) => ({ id, name, prefix })),
        errors: Object.keys(ERROR_TABLE),
      };
    },
  }),
});

/** The hosts to which tools send their calls, sorted. */
function hostsOf(tools: readonly Tool[]): string[] {
  const addresses = new Set(tools.map(({ baseUrl }) => baseUrl));
  return [...new Set([...addresses].map((address) => new URL(address).host))].sort();
}
