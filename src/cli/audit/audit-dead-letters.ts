import { join } from 'node:path';
import { Command } from 'commander';
import { AUDIT_FILE_NAME, openExistingAuditFile } from '../../audit/record/audit-file.ts';
import { deadLetterLines } from '../../audit/shipping/dead-letters.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { tellDatabase } from '../shared/with-database.ts';
import { writeLines } from '../shared/write-lines.ts';

export const deadLettersCommand = (): Command =>
  new Command('dead-letters')
    .description(
      'Write the records that PostgreSQL refused to standard output, one JSON object per line, oldest first.',
    )
    .addHelpText('after', '\nExample: tool-gateway audit dead-letters > refused.ndjson')
    .action(writeDeadLetters);

async function writeDeadLetters(): Promise<void> {
  const { DATA_DIR: dataDir } = readSettings(process.env);
  tellDatabase(join(dataDir, AUDIT_FILE_NAME));
  const file = await openExistingAuditFile(dataDir);
  try {
    await writeLines(deadLetterLines(file.db));
  } finally {
    await file.close();
  }
}
