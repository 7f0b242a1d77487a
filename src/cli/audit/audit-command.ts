import { Command } from 'commander';
import { deadLettersCommand } from './audit-dead-letters.ts';
import { auditExportCommand } from './audit-export-command.ts';
import { auditListCommand } from './audit-list-command.ts';
import { auditSweepCommand } from './audit-sweep-command.ts';
import { auditVerifyCommand } from './audit-verify-command.ts';

export function auditCommand(): Command {
  const audit = new Command('audit').description(
    'List, export, verify and sweep the audit log, which has one record per call.',
  );
  audit.addCommand(auditListCommand());
  audit.addCommand(auditExportCommand());
  audit.addCommand(deadLettersCommand());
  audit.addCommand(auditVerifyCommand());
  audit.addCommand(auditSweepCommand());
  return audit;
}
