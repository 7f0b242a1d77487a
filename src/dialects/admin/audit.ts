import { Type } from 'typebox';
import type { AuditStore } from '../../audit/reading/audit-store.ts';
import {
  EXPORT_FORMATS,
  EXPORT_MEDIA_TYPES,
  encodeExport,
} from '../../audit/reading/encode-export.ts';
import { createExportSlots } from '../../audit/reading/export-slots.ts';
import type { StoredAuditRecord } from '../../audit/record/audit-record.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { AdminFile } from './admin-file.ts';
import { type TenantContext, tenantRoute } from './admin-route.ts';
import { AUDIT_FILTER_INPUT, auditFilterOf, timeOf } from './audit-input.ts';
import { type RunAgainDeps, runAgain } from './audit-run.ts';
import { repeatability } from './repeatable-arguments.ts';

export interface AuditRoutesDeps extends RunAgainDeps {
  readonly auditStore: AuditStore;
}

/** The audit log of a tenant: pages, counts over time, one record, export, and calls that are run again. */
export function createAuditRoutes(deps: AuditRoutesDeps) {
  const { auditStore } = deps;
  const slots = createExportSlots();

  async function find({ tenant }: TenantContext, auditId: string): Promise<StoredAuditRecord> {
    const record = await auditStore.get(tenant.id, auditId);
    if (record) return record;
    throw new GatewayError(
      'not_found',
      'There is no such audit record. It may have been deleted because of its age.',
    );
  }

  return {
    'GET /tenants/:tenant/audit': tenantRoute('viewer', {
      input: {
        ...AUDIT_FILTER_INPUT,
        limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
        cursor: Type.Optional(Type.String({ maxLength: 500 })),
      },
      handle: ({ tenant }, { limit, cursor, ...input }) =>
        auditStore.list({ ...auditFilterOf(tenant.id, input), limit, cursor }),
    }),
    'GET /tenants/:tenant/audit/timeline': tenantRoute('viewer', {
      input: { ...AUDIT_FILTER_INPUT, before: Type.Optional(Type.String({ maxLength: 40 })) },
      handle: ({ tenant }, { before, ...input }) =>
        auditStore.timeline(auditFilterOf(tenant.id, input), timeOf('before', before)),
    }),
    'GET /tenants/:tenant/audit/export': tenantRoute('viewer', {
      input: {
        ...AUDIT_FILTER_INPUT,
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
    'GET /tenants/:tenant/audit/:auditId': tenantRoute('viewer', {
      input: { auditId: Type.String({ maxLength: 100 }) },
      handle: async (context, { auditId }) => {
        const record = await find(context, auditId);
        return { record, repeat: repeatability(record.arguments) };
      },
    }),
    'POST /tenants/:tenant/audit/:auditId/run': tenantRoute('viewer', {
      input: {
        auditId: Type.String({ maxLength: 100 }),
        arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      },
      handle: async (context, { auditId, arguments: given }) => {
        const record = await find(context, auditId);
        return runAgain(deps, context, record, given);
      },
    }),
  };
}
