import { once } from 'node:events';
import { Command } from 'commander';
import { hasAuditFile, openAuditFile } from '../../audit/record/audit-file.ts';
import { deadLetterLines } from '../../audit/shipping/dead-letters.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';

export const deadLettersCommand = (): Command =>
  new Command('dead-letters')
    .description(
      'Write the records that PostgreSQL refused to standard output, one JSON object a line, oldest first.',
    )
    .action(writeDeadLetters);

async function writeDeadLetters(): Promise<void> {
  const { DATA_DIR: dataDir } = readSettings(process.env);
  if (!hasAuditFile(dataDir)) {
    throw new StartupError(`${dataDir} holds no audit log. Set DATA_DIR to the gateway’s own.`);
  }
  const file = await openAuditFile({ dataDir, fsync: false });
  try {
    for await (const line of deadLetterLines(file.db)) {
      if (!process.stdout.write(line)) await once(process.stdout, 'drain');
    }
  } finally {
    await file.close();
  }
}
