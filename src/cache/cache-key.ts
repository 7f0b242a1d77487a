import stringify from 'safe-stable-stringify';
import { GatewayError } from '../platform/kernel/error.ts';

/** Strict: a value that is not JSON throws rather than being written like another one. */
const canonicalJson = stringify.configure({ deterministic: true, strict: true });

/**
 * The key under which an answer is kept: equal exactly when tool version, credential identity and the arguments
 * (deeply, whatever the order of their properties) are equal. One JSON array, so the parts cannot run into each
 * other. `credentialIdentity` keeps one tenant's answers from another where the tenant's own secret was used.
 * Throws GatewayError `invalid_arguments` when the arguments are nested deeper than the stack allows.
 */
export function cacheKey(
  toolVersion: string,
  args: Record<string, unknown>,
  credentialIdentity: string,
): string {
  try {
    return canonicalJson([toolVersion, credentialIdentity, args]);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new GatewayError('invalid_arguments', 'The arguments are nested too deeply.', { cause });
  }
}
