import { type Logger, stdSerializers } from 'pino';
import { stringify } from 'safe-stable-stringify';
import type { ProviderKeySource } from '../access/provider-keys/provider-key-source.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import type { HiddenSecrets } from '../tools/tool-connection.ts';
import { redactorFor } from '../upstreams/redaction/redact-secrets.ts';
import type { FinishedCall } from './call-tool.ts';
import { formerSecrets, hiddenSecrets } from './hidden-secrets.ts';

/** Logs a failed call. The audit log has every call; the process log has what an operator must investigate. */
export function logCall(
  logger: Logger,
  { secretOf, formerOf }: Pick<ProviderKeySource, 'secretOf' | 'formerOf'>,
  { auditId, context, entry, result, connection = entry.connection }: FinishedCall,
): void {
  if (!(result instanceof GatewayError)) return;
  const line = { auditId, requestId: context.requestId, tool: entry.tool.name, code: result.code };
  if (result.code === 'internal') {
    const inUse = hiddenSecrets(entry.tool, connection?.secrets ?? secretOf) ?? [];
    const hidden = [...inUse, ...formerSecrets(entry.tool, formerOf)];
    const err = loggableError(result.cause, hidden);
    logger.error({ ...line, err }, 'call failed');
  } else logger.debug(line, 'call failed');
}

/** Makes a thrown value loggable by removing secrets: foreign errors quote what they could not read or send. */
export function loggableError(thrown: unknown, hidden: HiddenSecrets | undefined): unknown {
  const shown = thrown instanceof Error ? stdSerializers.err(thrown) : thrown;
  const json = stringify(shown);
  return json === undefined ? shown : JSON.parse(`${redactorFor(hidden).json(Buffer.from(json))}`);
}
