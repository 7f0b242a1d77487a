import { Type } from 'typebox';
import type { ApiKeyStore } from '../../access/keys/api-key-store.ts';
import { AUDIT_FILTER, auditFilterOf, findRecord, repeatability } from '../../audit/operations.ts';
import type { AuditStore } from '../../audit/reading/audit-store.ts';
import {
  createExportSlots,
  EXPORT_FORMATS,
  EXPORT_MEDIA_TYPES,
  encodeExport,
} from '../../audit/reading/encode-export.ts';
import type { StoredAuditRecord } from '../../audit/record/audit-record.ts';
import type { CallTool } from '../../calls/call-tool.ts';
import { CallFailure, type CallOutcome } from '../../calls/tool-call.ts';
import { actorCaller } from '../../platform/input/operation.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { ERROR_TABLE } from '../../platform/kernel/error-table.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { Tool } from '../../tools/model.ts';
import { callContextOf } from '../json-rpc/call-context.ts';
import { AdminFile } from './admin-file.ts';
import { type TenantContext, tenantRoute } from './admin-route.ts';
import { assertWithinLimit, type PlaygroundRoutesDeps } from './playground.ts';

export interface AuditRoutesDeps extends RunAgainDeps {
  readonly auditStore: AuditStore;
}

/** The audit log of a tenant: what exports it, and runs calls again. */
export function createAuditRoutes(deps: AuditRoutesDeps) {
  const { auditStore } = deps;
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
    'POST /tenants/:tenant/audit/:auditId/run': tenantRoute('viewer', {
      input: {
        auditId: Type.String({ maxLength: 100 }),
        arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      },
      handle: async (context, { auditId, arguments: given }) => {
        const record = await findRecord(auditStore, context.tenant.id, auditId);
        return runAgain(deps, context, record, given);
      },
    }),
  };
}

export interface AuditNamesDeps {
  readonly apiKeys: Pick<ApiKeyStore, 'list'>;
  readonly catalog: Pick<Catalog, 'list'>;
  readonly ready: (tenantId: string) => Promise<unknown> | unknown;
  /** The names of people who called tools of the tenant, by their ids. */
  readonly callerNames: (tenantId: string) => Promise<ReadonlyMap<string, string>>;
}

/** What filters of the audit log offer; the newest keys and the first tools, if there are very many. */
const MAX_NAMES = 2000;

/** `GET /tenants/:tenant/audit/names`: tools, upstreams, keys, people and causes by which a person may search the audit log. */
export const createAuditNamesRoutes = ({
  apiKeys,
  catalog,
  ready,
  callerNames,
}: AuditNamesDeps) => ({
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

interface RunAgainDeps extends Pick<PlaygroundRoutesDeps, 'countRun'> {
  readonly auditStore: Pick<AuditStore, 'get'>;
  readonly catalog: Pick<Catalog, 'findById'>;
  readonly callTool: CallTool;
  /** Resolves once the tools that the tenant registered are in the catalog. */
  readonly ready: (tenantId: string) => Promise<unknown> | unknown;
}

/** Characters of a response that are shown. */
const MAX_SHOWN = 256 * 1024;

/** What a call came to when it was run again. */
interface RunResult {
  /** The record of the new call. */
  readonly record: StoredAuditRecord;
  /** The response as JSON text, or its beginning; null if the call failed. */
  readonly data: string | null;
  readonly isCut: boolean;
}

/**
 * Runs a recorded call again as the person, with the recorded arguments or with those that are given. Rejects with
 * `unprocessable` if recorded arguments were masked or cut, and with `not_found` if the tool no longer exists, and with `rate_limited`
 * beyond the runs of a person.
 */
async function runAgain(
  deps: RunAgainDeps,
  context: TenantContext,
  old: StoredAuditRecord,
  given: Readonly<Record<string, unknown>> | undefined,
): Promise<RunResult> {
  const args = { ...(given ?? old.arguments) };
  assertComplete(args);
  await assertWithinLimit(deps, context);
  const caller = actorCaller(context);
  await deps.ready(caller.tenantId);
  const entry = deps.catalog.findById(caller, old.toolId);
  if (!entry) throw new GatewayError('not_found', `The tool ${old.tool} no longer exists.`);
  const { request } = context;
  const call = { name: entry.tool.name, arguments: args, cancellation: request.cancellation };
  const result = await deps
    .callTool(call, callContextOf(request, caller, 'dashboard'))
    .catch(failureOf);
  const record = await deps.auditStore.get(caller.tenantId, result.auditId);
  if (!record) throw new GatewayError('unavailable', 'The record of the call cannot be read.');
  return { record, ...shownData(result) };
}

function assertComplete(args: Readonly<Record<string, unknown>>): void {
  const { missing, isTruncated } = repeatability(args);
  if (isTruncated) {
    throw new GatewayError(
      'unprocessable',
      'The record does not hold all arguments of the call. Give all of them.',
    );
  }
  if (missing.length === 0) return;
  throw new GatewayError(
    'unprocessable',
    `These arguments were masked or cut in the record: ${missing.join(', ')}. Give their values.`,
  );
}

function failureOf(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  throw error;
}

function shownData(result: CallOutcome | CallFailure): Pick<RunResult, 'data' | 'isCut'> {
  if (result instanceof CallFailure) return { data: null, isCut: false };
  const { json } = result.response;
  return { data: json.toString('utf8', 0, MAX_SHOWN), isCut: json.length > MAX_SHOWN };
}
