import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { addressBlocked, createGuardedLookup } from './guarded-lookup.ts';
import type { Resolve } from './resolve.ts';

export interface GuardedConnectorOptions {
  readonly resolve: Resolve;
  readonly mayConnect: (address: string) => boolean;
  readonly connectTimeoutMs: number;
}

/**
 * Opens connections to allowed addresses only. It checks an IP address before connecting (`lookup` never sees one), every
 * address of a name when it is resolved, and the peer after connecting, so that a name that changes its address between
 * two requests gains nothing. It knows no proxies: those of the environment do not apply.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { resolve, mayConnect } = options;
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: createGuardedLookup(resolve, mayConnect),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1000,
    allowH2: false,
  });
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
