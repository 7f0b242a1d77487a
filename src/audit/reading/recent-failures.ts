import { FAILED } from './audit-filter.ts';
import type { AuditQueries } from './audit-search.ts';

/** Failures that are read at once; the index of failures leads to each. */
export const MAX_FAILURES = 2000;

/** How a call of a tool failed. */
export type Failure = Awaited<ReturnType<typeof readFailures>>[number];

/** The newest failed calls of a tenant, newest first. */
export const readFailures = (
  { db, run }: AuditQueries,
  { tenantId, fromMs }: { readonly tenantId: string; readonly fromMs: number },
) =>
  run(
    db
      .selectFrom('audit_records')
      .select(['audit_id', 'timestamp_ms', 'tool_id', 'upstream_status', 'error_code', 'cause'])
      .where('tenant_id', '=', tenantId)
      .where('timestamp_ms', '>=', fromMs)
      .where(FAILED)
      .orderBy('timestamp_ms', 'desc')
      .orderBy('audit_id', 'desc')
      .limit(MAX_FAILURES),
  );
