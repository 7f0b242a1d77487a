import type { buildConnector } from 'undici';
import { checkUrl, type UrlPolicy } from './check-url.ts';
import { createFairResolve } from './fair-resolve.ts';
import { createGuardedConnector } from './guarded-connector.ts';
import { isOwnAddress } from './own-address.ts';
import type { Resolve } from './resolve.ts';

export interface GuardOptions extends UrlPolicy {
  /** Ports on which this process listens; they may be added later. */
  readonly ownPorts: ReadonlySet<number>;
  readonly resolve: Resolve;
  /** Which addresses are on the public internet: `isPublicAddress`. */
  readonly isPublic: (address: string) => boolean;
}

/** Decides which addresses of strangers the gateway may request. */
export interface Guard {
  /** Throws `upstream_blocked` for an address that may not be requested, whatever DNS says of it. */
  checkUrl(text: string): URL;
  /** Opens the connections of one origin for one tenant. Throws `upstream_blocked` if it may not be requested. */
  connectorFor(origin: string, tenantId: string): buildConnector.connector;
}

const CONNECT_TIMEOUT_MS = 3000;

export function createGuard(options: GuardOptions): Guard {
  const { allowPrivate, ownPorts, isPublic } = options;
  const resolve = createFairResolve(options.resolve);

  /** This process is never its own upstream, even where private addresses are allowed. */
  const mayConnect = (address: string, port: number): boolean =>
    (allowPrivate || isPublic(address)) && !(ownPorts.has(port) && isOwnAddress(address));

  return {
    checkUrl: (text) => checkUrl(text, options),
    connectorFor(origin, tenantId) {
      const port = portOf(checkUrl(origin, options));
      return createGuardedConnector({
        resolve: (hostname) => resolve(hostname, tenantId),
        mayConnect: (address) => mayConnect(address, port),
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
      });
    },
  };
}

const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
