import { Command, Option } from 'commander';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  encodeExport,
} from '../../audit/reading/encode-export.ts';
import { writeLines } from '../shared/write-lines.ts';
import { addFilterOptions, type FilterOptions, filterOf } from './filter-options.ts';
import { withAudit } from './with-audit.ts';

interface ExportOptions extends FilterOptions {
  readonly format: ExportFormat;
}

export const auditExportCommand = (): Command =>
  addFilterOptions(
    new Command('export').description(
      'Write audit records to standard output, oldest first: one JSON object per line, or CSV.',
    ),
  )
    .addOption(
      new Option('--format <format>', 'ndjson, or csv for spreadsheets')
        .choices(EXPORT_FORMATS)
        .default('ndjson'),
    )
    .addHelpText(
      'after',
      '\nExample: tool-gateway audit export --from 2026-11-01 --format csv > audit.csv',
    )
    .action(exportRecords);

async function exportRecords({ format, ...options }: ExportOptions): Promise<void> {
  await withAudit(async ({ store, database }) => {
    const filter = await filterOf(options, database);
    await writeLines(encodeExport(store.pages(filter), format));
  });
}
