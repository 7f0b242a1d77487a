import { Command } from 'commander';
import { hasAuditFile, openAuditFile } from '../../audit/record/audit-file.ts';
import { deadLetterLines } from '../../audit/shipping/dead-letters.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { writeLines } from '../shared/write-lines.ts';

export const deadLettersCommand = (): Command =>
  new Command('dead-letters')
    .description(
      'Write the records that PostgreSQL refused to standard output, one JSON object per line, oldest first.',
    )
    .action(writeDeadLetters);

async function writeDeadLetters(): Promise<void> {
  const { DATA_DIR: dataDir } = readSettings(process.env);
  if (!hasAuditFile(dataDir)) {
    throw new StartupError(
      `${dataDir} contains no audit log. Set DATA_DIR to the data directory of the gateway.`,
    );
  }
  const file = await openAuditFile({ dataDir, fsync: false });
  try {
    await writeLines(deadLetterLines(file.db));
  } finally {
    await file.close();
  }
}
