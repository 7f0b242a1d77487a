import type { Logger } from 'pino';
import { GatewayError } from '../platform/kernel/error.ts';
import type { SecretLookup } from '../tools/request/parameter-writer.ts';
import type { FinishedCall } from './call-tool.ts';
import { hiddenSecrets } from './hidden-secrets.ts';
import { loggableError } from './loggable-error.ts';

/** Logs a call that failed. Each call is in the audit log; here only what an operator must look into. */
export function logCall(
  logger: Logger,
  secrets: SecretLookup,
  { auditId, context, entry, result }: FinishedCall,
): void {
  if (!(result instanceof GatewayError)) return;
  const line = { auditId, requestId: context.requestId, tool: entry.tool.name, code: result.code };
  if (result.code === 'internal') {
    const err = loggableError(result.cause, hiddenSecrets(entry.tool, secrets));
    logger.error({ ...line, err }, 'call failed');
  } else logger.debug(line, 'call failed');
}
