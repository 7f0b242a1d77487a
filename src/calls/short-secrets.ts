import type { Logger } from 'pino';
import type { Tool } from '../tools/model.ts';
import type { SecretLookup } from '../tools/request/parameter-writer.ts';
import { isShortSecret } from '../upstreams/redaction/hidden-secret.ts';

/** Warns of every secret that is too short to be hidden wherever an answer repeats it; names it, and no more. */
export function warnOfShortSecrets(
  tools: readonly Tool[],
  secrets: SecretLookup,
  logger: Pick<Logger, 'warn'>,
): void {
  for (const secretName of new Set(tools.flatMap((tool) => tool.secrets))) {
    const value = secrets(secretName)?.reveal();
    if (!value || !isShortSecret(value)) continue;
    logger.warn(
      { secretName },
      'a secret has fewer than 8 characters: in answers it is hidden only where it is the whole value of its parameter or header; use a longer one',
    );
  }
}
