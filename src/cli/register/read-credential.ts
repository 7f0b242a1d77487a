import { readSecretText } from '../../platform/config/secret-text.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { MAX_CREDENTIAL_LENGTH } from '../../registrations/request/request-bounds.ts';
import { readSecretLine } from '../shared/read-secret-line.ts';

/** Largest line: a user name and a password, of four bytes a character, with a colon between them. */
export const MAX_CREDENTIAL_BYTES = (2 * MAX_CREDENTIAL_LENGTH + 1) * 4;

/**
 * Reads a credential from TOOL_GATEWAY_CREDENTIAL or its file, or else one line from standard input; a terminal is asked and does not
 * show it. Never from an argument, which other users of the machine can see. Undefined if neither has any.
 */
export async function readCredential(label: string): Promise<Secret | undefined> {
  const text =
    readSecretText(process.env, 'TOOL_GATEWAY_CREDENTIAL') ||
    (await readSecretLine({ label, maxBytes: MAX_CREDENTIAL_BYTES }));
  return text === undefined ? undefined : new Secret(text);
}
