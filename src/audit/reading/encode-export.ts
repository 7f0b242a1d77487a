import { csvRow } from '../../platform/kernel/csv-row.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { StoredAuditRecord } from '../record/audit-record.ts';

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** Encodes pages of records one at a time, so that memory does not grow with their number. */
export async function* encodeExport(
  pages: AsyncIterable<readonly StoredAuditRecord[]>,
  format: ExportFormat,
): AsyncGenerator<Buffer, void, void> {
  const encode = format === 'csv' ? csvRecord : jsonLine;
  if (format === 'csv') yield Buffer.from(csvHeading());
  for await (const records of pages) yield Buffer.from(records.map(encode).join(''));
}

const jsonLine = (record: StoredAuditRecord): string => `${JSON.stringify(record)}\n`;

/** The members of a record that have a column, in the order of the columns. */
const COLUMNS = (
  'auditId timestamp tenantId apiKeyId requestId dialect clientName tool toolId arguments ' +
  'upstream.method upstream.url upstream.status cacheStatus publicData.code publicData.message ' +
  'outcome error.code error.message durationMs upstreamMs responseBytes responseTokens clientIp ' +
  'cause asked asOf steppedBack sample partOf'
)
  .split(' ')
  .map((path) => path.split('.'));

const BYTE_ORDER_MARK = '\uFEFF';

/** The first line, after the mark by which spreadsheets recognise UTF-8. A column such as `upstream.url` is `upstreamUrl`. */
export const csvHeading = (): string =>
  BYTE_ORDER_MARK +
  csvRow(COLUMNS.map((path) => path.join('.').replace(/\.(.)/, (_, first) => first.toUpperCase())));

export const csvRecord = (record: StoredAuditRecord): string =>
  csvRow(
    COLUMNS.map((path) => {
      const value = path.reduce<unknown>((node, name) => (node as Members | null)?.[name], record);
      return typeof value === 'object' && value !== null
        ? JSON.stringify(value)
        : String(value ?? '');
    }),
  );

type Members = Readonly<Record<string, unknown>>;

/** Exports of one tenant at once: each occupies the database, and an export of audit records the thread that also runs searches. */
const MAX_EXPORTS_PER_TENANT = 2;

export type ExportSlots = ReturnType<typeof createExportSlots>;

/** Bounds how many exports each tenant runs at once. */
export function createExportSlots(maxPerTenant = MAX_EXPORTS_PER_TENANT) {
  /** Only tenants with a running export. */
  const running = new Map<string, number>();
  const change = (tenantId: string, by: number): void => {
    const count = (running.get(tenantId) ?? 0) + by;
    if (count > 0) running.set(tenantId, count);
    else running.delete(tenantId);
  };
  async function* exported(
    tenantId: string,
    chunks: AsyncIterable<Buffer>,
  ): AsyncGenerator<Buffer> {
    try {
      yield* chunks;
    } finally {
      change(tenantId, -1);
    }
  }
  return {
    /**
     * The same chunks. The export begins with this call, and ends with the iteration, which the reader's disconnect ends
     * too. Throws GatewayError `rate_limited`.
     */
    run(tenantId: string, chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
      if ((running.get(tenantId) ?? 0) >= maxPerTenant) throw tooMany(maxPerTenant);
      change(tenantId, 1);
      return exported(tenantId, chunks);
    },
  };
}

const tooMany = (maxPerTenant: number): GatewayError =>
  new GatewayError(
    'rate_limited',
    `${maxPerTenant} of these exports are running. Retry when one has ended.`,
    { details: { retryAfterSeconds: 5 } },
  );
