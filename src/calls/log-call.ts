import type { Logger } from 'pino';
import { GatewayError } from '../platform/kernel/error.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import type { SecretLookup } from '../tools/request/parameter-writer.ts';
import type { FinishedCall } from './call-tool.ts';
import { formerSecrets, hiddenSecrets } from './hidden-secrets.ts';
import { loggableError } from './loggable-error.ts';

/** The secrets of presets: those in use, and those that a call under way may have sent. */
export interface LoggedSecrets {
  readonly secretOf: SecretLookup;
  readonly formerOf: (name: string) => readonly Secret[];
}

/** Logs a failed call. The audit log has every call; the process log has what an operator must investigate. */
export function logCall(
  logger: Logger,
  { secretOf, formerOf }: LoggedSecrets,
  { auditId, context, entry, result }: FinishedCall,
): void {
  if (!(result instanceof GatewayError)) return;
  const line = { auditId, requestId: context.requestId, tool: entry.tool.name, code: result.code };
  if (result.code === 'internal') {
    const inUse = hiddenSecrets(entry.tool, entry.connection?.secrets ?? secretOf) ?? [];
    const hidden = [...inUse, ...formerSecrets(entry.tool, formerOf)];
    const err = loggableError(result.cause, hidden);
    logger.error({ ...line, err }, 'call failed');
  } else logger.debug(line, 'call failed');
}
