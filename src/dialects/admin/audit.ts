import { Type } from 'typebox';
import type { ApiKeyStore } from '../../access/keys/api-key-store.ts';
import { AUDIT_FILTER, auditFilterOf } from '../../audit/operations.ts';
import type { AuditStore } from '../../audit/reading/audit-store.ts';
import {
  createExportSlots,
  EXPORT_FORMATS,
  EXPORT_MEDIA_TYPES,
  encodeExport,
} from '../../audit/reading/encode-export.ts';
import { actorCaller } from '../../platform/input/operation.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { Tool } from '../../tools/model.ts';
import { AdminFile } from './admin-answers.ts';
import { tenantRoute } from './admin-route.ts';

export interface AuditRoutesDeps {
  readonly auditStore: Pick<AuditStore, 'pages'>;
  readonly apiKeys: Pick<ApiKeyStore, 'list'>;
  readonly catalog: Pick<Catalog, 'list'>;
  readonly ready: (tenantId: string) => Promise<unknown> | unknown;
  /** The names of people who called tools of the tenant, by their ids. */
  readonly callerNames: (tenantId: string) => Promise<ReadonlyMap<string, string>>;
}

/** What filters of the audit log offer; the newest keys and the first tools, if there are very many. */
const MAX_NAMES = 2000;

/** The audit log of a tenant: its export, and the names by which a person may search it. */
export function createAuditRoutes({
  auditStore,
  apiKeys,
  catalog,
  ready,
  callerNames,
}: AuditRoutesDeps) {
  const slots = createExportSlots();
  return {
    'GET /tenants/:tenant/audit/export': tenantRoute('viewer', {
      input: {
        ...AUDIT_FILTER,
        format: Type.Enum([...EXPORT_FORMATS], { default: 'csv' }),
      },
      handle: ({ tenant }, { format, ...input }) => {
        const pages = auditStore.pages(auditFilterOf(tenant.id, input));
        return new AdminFile({
          contentType: EXPORT_MEDIA_TYPES[format],
          fileName: `audit-${tenant.slug}-${new Date().toISOString().slice(0, 10)}.${format}`,
          chunks: slots.run(tenant.id, encodeExport(pages, format)),
        });
      },
    }),
    'GET /tenants/:tenant/audit/names': tenantRoute('viewer', {
      input: {},
      handle: async (context) => {
        const { tenant } = context;
        await ready(tenant.id);
        const keys = await apiKeys.list({ tenantId: tenant.id, limit: MAX_NAMES });
        const tools = catalog.list(actorCaller(context)).map(({ tool }) => tool);
        return {
          tools: tools.slice(0, MAX_NAMES).map(({ name }) => name),
          upstreams: hostsOf(tools).slice(0, MAX_NAMES),
          keys: keys.map(({ id, name, prefix }) => ({ id, name, prefix })),
          people: [...(await callerNames(tenant.id))].map(([id, name]) => ({ id, name })),
        };
      },
    }),
  };
}

/** The hosts to which tools send their calls, sorted. */
function hostsOf(tools: readonly Tool[]): string[] {
  const addresses = new Set(tools.map(({ baseUrl }) => baseUrl));
  return [...new Set([...addresses].map((address) => new URL(address).host))].sort();
}
