import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';
import { canonicalAddress } from '../../platform/kernel/addresses.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { connectWith } from '../client/connector.ts';
import { checkUrl, type UrlPolicy } from './check-url.ts';

/** Returns the addresses of a host name; rejects if it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface GuardOptions extends UrlPolicy {
  /** Ports on which this process listens; they may be added later. */
  readonly ownPorts: ReadonlySet<number>;
  readonly resolve: Resolve;
  /** Which addresses are on the public internet: `isPublicAddress`. */
  readonly isPublic: (address: string) => boolean;
}

export type Guard = ReturnType<typeof createGuard>;

/** Decides which addresses of strangers the gateway may request. */
export function createGuard(options: GuardOptions) {
  const { allowPrivate, ownPorts, isPublic } = options;
  const resolve = createFairResolve(options.resolve);

  /** This process is never its own upstream, even where private addresses are allowed. */
  const mayConnect = (address: string, port: number): boolean =>
    (allowPrivate || isPublic(address)) && !(ownPorts.has(port) && isOwnAddress(address));

  return {
    /** Throws `upstream_blocked` for an address that may not be requested, whatever DNS says of it. */
    checkUrl: (text: string): URL => checkUrl(text, options),
    /** Opens the connections of one origin for one tenant. Throws `upstream_blocked` if it may not be requested. */
    connectorFor(origin: string, tenantId: string): buildConnector.connector {
      const port = portOf(checkUrl(origin, options));
      return createGuardedConnector(
        (hostname) => resolve(hostname, tenantId),
        (address) => mayConnect(address, port),
      );
    },
  };
}

const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

const OF_THIS_MACHINE: ReadonlySet<string> = new Set(['loopback', 'unspecified']);

/** Whether a connection to this IP address ends at this machine. */
function isOwnAddress(text: string): boolean {
  const address = canonicalAddress(text);
  if (address === null) return false;
  if (OF_THIS_MACHINE.has(ipaddr.parse(address).range())) return true;
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((own) => canonicalAddress(own.address) === address),
  );
}

type MayConnect = (address: string) => boolean;

/**
 * Opens connections to allowed addresses only. It checks an IP address before connecting (`lookup` never sees one), every
 * address of a name when it is resolved, and the peer after connecting, so that a name that changes its address between
 * two requests gains nothing. It knows no proxies: proxy variables of the environment do not apply.
 */
export function createGuardedConnector(
  resolve: Resolve,
  mayConnect: MayConnect,
): buildConnector.connector {
  const connect = connectWith(createGuardedLookup(resolve, mayConnect));
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !mayConnect(host)) {
      callback(addressBlocked(), null);
      return;
    }
    connect(target, (...result) => {
      const socket = result[1];
      // Without an address, the connection has been closed already, and its first use fails.
      if (!socket?.remoteAddress || mayConnect(socket.remoteAddress)) {
        callback(...result);
        return;
      }
      socket.destroy();
      callback(addressBlocked(), null);
    });
  };
}

/** Names that are resolved at the same time, in total and for one tenant: strangers choose them and their name servers. */
const MAX_PENDING = 512;
const MAX_PENDING_OF_TENANT = 32;

/** Shares look-ups of the same name, and lets no tenant with slow name servers use up the look-ups of the others. */
export function createFairResolve(resolve: Resolve) {
  const pending = new Map<
    string,
    { readonly tenantId: string; readonly found: ReturnType<Resolve> }
  >();

  const isFull = (tenantId: string): boolean => {
    const own = [...pending.values()].filter((each) => each.tenantId === tenantId);
    return pending.size >= MAX_PENDING || own.length >= MAX_PENDING_OF_TENANT;
  };

  return async (hostname: string, tenantId: string): Promise<readonly string[]> => {
    const known = pending.get(hostname);
    if (known) return known.found;
    if (isFull(tenantId)) throw tooManyNames();
    const found = Promise.try(resolve, hostname).finally(() => pending.delete(hostname));
    pending.set(hostname, { tenantId, found });
    return found;
  };
}

const tooManyNames = (): GatewayError =>
  new GatewayError('overloaded', 'Too many host names are being resolved. Retry in a moment.', {
    details: { retryAfterSeconds: 1 },
  });

/** Addresses of each family that a connection tries; more would only prolong its failure. */
const MAX_ADDRESSES = 8;

/**
 * The error for an address that may not be connected to. Its message is the same for every cause and names no address:
 * callers must not learn what a name resolves to in the gateway's network.
 */
const addressBlocked = (): GatewayError =>
  new GatewayError(
    'upstream_blocked',
    'The gateway does not connect to the address of this upstream: it must be on the public internet, and not the gateway itself.',
  );

/** A `lookup` for sockets that fails unless a connection to every address of the name is allowed. */
export function createGuardedLookup(resolve: Resolve, mayConnect: MayConnect): LookupFunction {
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

/** Every other error of DNS becomes the error of a failed look-up, whose meaning the upstream client knows. */
function toSystemError(error: NodeJS.ErrnoException): Error {
  if (error instanceof GatewayError) return error;
  return withCode(UNKNOWN_NAME.has(error.code) ? 'ENOTFOUND' : 'EAI_AGAIN', error);
}

const withCode = (code: string, cause?: unknown): Error =>
  Object.assign(new Error('The host name could not be resolved.', { cause }), { code });

/** One query, repeated once; per server of the system's configuration. */
const TIMEOUT_MS = 2000;
const TRIES = 2;

/**
 * Resolves names by DNS alone. Unlike `dns.lookup` it uses none of the four threads of libuv, which one slow zone would
 * stall, and does not read the hosts file, whose names are local.
 */
export function createDnsResolve(): Resolve {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, maxTimeout: TIMEOUT_MS, tries: TRIES });
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const addresses = [v4, v6].flatMap((result) =>
      result.status === 'fulfilled' ? result.value : [],
    );
    if (addresses.length > 0) return addresses;
    throw v4.status === 'rejected' ? v4.reason : new Error('The name has no address.');
  };
}

/** Resolves names as other programs of this machine do, with its hosts file: for private upstreams in development. */
export const systemResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
};
