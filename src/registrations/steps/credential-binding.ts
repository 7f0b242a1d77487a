import type { CredentialBinding } from '../../tools/compile/compile-policy.ts';
import type { AuthScheme } from '../request/registration-request.ts';

/** The name by which the tools of a registered API refer to its credential. */
export const REGISTERED_SECRET = 'credential';

/**
 * Where the tools of an API send its credential. Undefined without one, and for OAuth, whose tokens the API's own client
 * adds. What is sent after `Basic ` is encoded when it is written.
 */
export function credentialBinding(
  scheme: AuthScheme,
  origins: readonly string[],
): CredentialBinding | undefined {
  const secretName = REGISTERED_SECRET;
  switch (scheme.type) {
    case 'bearer':
    case 'basic':
      return {
        in: 'header',
        name: 'authorization',
        prefix: scheme.type === 'basic' ? 'Basic ' : 'Bearer ',
        secretName,
        origins,
      };
    case 'api_key':
      return { in: scheme.in, name: scheme.keyName, prefix: '', secretName, origins };
    case 'provider_key':
      // Each operation names the parameter.
      return { in: 'query', name: null, prefix: '', secretName, origins };
    default:
      return undefined;
  }
}
