import type { Logger } from 'pino';
import type { SecretLookup } from '../tools/request/parameter-writer.ts';
import { isShortSecret } from '../upstreams/redaction/is-short-secret.ts';

/** Warns of every secret with one of these names that is too short to be redacted wherever a response repeats it. Logs its name only. */
export function warnOfShortSecrets(
  names: readonly string[],
  secrets: SecretLookup,
  logger: Pick<Logger, 'warn'>,
): void {
  for (const secretName of names) {
    const value = secrets(secretName)?.reveal();
    if (!value || !isShortSecret(value)) continue;
    logger.warn(
      { secretName },
      'a secret has fewer than 8 characters: in responses it is redacted only where it is the whole value of its parameter or header; use a longer one',
    );
  }
}
