import { isIP, type LookupFunction } from 'node:net';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Resolve } from './resolve.ts';

/** Addresses of each family that a connection tries; more would only prolong its failure. */
const MAX_ADDRESSES = 8;

/**
 * The error for an address that may not be connected to. Its message is the same for every cause and names no address:
 * callers must not learn what a name resolves to in the gateway's network.
 */
export const addressBlocked = (): GatewayError =>
  new GatewayError(
    'upstream_blocked',
    'The gateway does not connect to the address of this upstream: it must be on the public internet, and not the gateway itself.',
  );

/** A `lookup` for sockets that fails unless a connection to every address of the name is allowed. */
export function createGuardedLookup(
  resolve: Resolve,
  mayConnect: (address: string) => boolean,
): LookupFunction {
  async function find(hostname: string) {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) throw withCode('ENOTFOUND');
    if (!addresses.every(mayConnect)) throw addressBlocked();
    return [4, 6].flatMap((family) =>
      addresses
        .filter((address) => isIP(address) === family)
        .slice(0, MAX_ADDRESSES)
        .map((address) => ({ address, family })),
    );
  }
  return (hostname, { all }, callback) => {
    find(hostname).then(
      (found) => {
        if (all) callback(null, found);
        else callback(null, found[0]?.address ?? '', found[0]?.family);
      },
      (error: NodeJS.ErrnoException) => callback(toSystemError(error), '', 0),
    );
  };
}

/** Codes of c-ares for a name without an address. */
const UNKNOWN_NAME: ReadonlySet<string | undefined> = new Set([
  'ENOTFOUND',
  'ENODATA',
  'EBADNAME',
  'ENONAME',
]);

/** Every other error of DNS becomes that of a failed look-up, whose meaning the upstream client knows. */
function toSystemError(error: NodeJS.ErrnoException): Error {
  if (error instanceof GatewayError) return error;
  return withCode(UNKNOWN_NAME.has(error.code) ? 'ENOTFOUND' : 'EAI_AGAIN', error);
}

const withCode = (code: string, cause?: unknown): Error =>
  Object.assign(new Error('The host name could not be resolved.', { cause }), { code });
