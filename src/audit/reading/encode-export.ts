import type { StoredAuditRecord } from '../record/audit-record.ts';
import { csvHeading, csvRecord } from './export-csv.ts';

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
