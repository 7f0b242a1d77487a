import type { Secret } from '../kernel/secret.ts';
import { percentEncode } from '../openapi/percent-encode.ts';

/** A key of fewer characters is no secret, and could be part of any word. */
const MIN_LENGTH = 8;

/**
 * A refusal, which is JSON, without the secrets that it repeats: servers like to quote the address they were asked
 * for, and the key is part of it.
 */
export function redactSecrets(
  json: Buffer,
  names: readonly string[],
  secrets: (name: string) => Secret | undefined,
): Buffer {
  const forms = names.flatMap((name) => formsOf(secrets(name)?.reveal() ?? ''));
  if (!forms.some((form) => json.includes(form))) return json;
  const text = forms.reduce((redacted, form) => redacted.replaceAll(form, 'REDACTED'), `${json}`);
  return Buffer.from(text);
}

/** As it is, as JSON writes it, and as an address does. */
const formsOf = (secret: string): string[] =>
  secret.length < MIN_LENGTH
    ? []
    : [secret, JSON.stringify(secret).slice(1, -1), percentEncode(secret.toWellFormed())];
