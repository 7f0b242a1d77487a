import { stdSerializers } from 'pino';
import { stringify } from 'safe-stable-stringify';
import type { HiddenSecrets } from '../tools/tool-connection.ts';
import { redactorFor } from '../upstreams/redaction/redact-secrets.ts';

/** Makes a thrown value loggable by removing secrets: foreign errors quote what they could not read or send. */
export function loggableError(thrown: unknown, hidden: HiddenSecrets | undefined): unknown {
  const shown = thrown instanceof Error ? stdSerializers.err(thrown) : thrown;
  const json = stringify(shown);
  return json === undefined ? shown : JSON.parse(`${redactorFor(hidden).json(Buffer.from(json))}`);
}
