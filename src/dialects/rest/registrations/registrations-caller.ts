import type { Caller } from '../../../access/keys/caller.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { callerOf, type RouteRequest } from '../../route.ts';

/**
 * The caller of a request about registrations. Throws `forbidden` for a key with a list of allowed tools: it would see and
 * change tools that do not exist for it (docs/contract.md#registration).
 */
export function registrationsCallerOf(request: RouteRequest): Caller {
  const caller = callerOf(request);
  if (caller.allowedTools === null) return caller;
  throw new GatewayError(
    'forbidden',
    'This API key has a list of allowed tools and cannot manage registered APIs. Use a key of the same tenant without such a list.',
  );
}
