import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { MAX_HOPS, type TrustedProxies } from '../platform/config/trust-proxy.ts';
import { canonicalAddress } from '../platform/kernel/addresses.ts';

/** The address of a client, by which it is limited, blocked and audited. */
export interface ClientAddress {
  /** The canonical IP address of the client behind the trusted proxies; `unknown` only once its socket is closed. */
  of(request: Pick<IncomingMessage, 'headers' | 'socket'>): string;
  /** Whether this address belongs to a trusted proxy, whose connections carry the requests of many clients. */
  isProxy(peer: string): boolean;
}

/** Headers whose client is remembered, so that calls through the same proxies do not parse the same header again. */
const MAX_REMEMBERED = 1000;
const MAX_REMEMBERED_LENGTH = 256;

/**
 * Trusts the entries of `X-Forwarded-For` that trusted proxies wrote. They are read from the right, where each proxy
 * appends the address that called it. A value that is not an address ends the walk, and the last valid address is used:
 * whatever a client sends, the result is always an IP address. `onUntrusted` is called once, when the header first arrives
 * although no proxy is trusted.
 */
export function createClientAddress(
  trusted: TrustedProxies | undefined,
  onUntrusted: () => void = () => {},
): ClientAddress {
  if (!trusted) return createPeerAddress(onUntrusted);
  const isTrusted = trustOf(trusted);
  const remembered = new LRUCache<string, string>({ max: MAX_REMEMBERED });
  return {
    of: ({ headers, socket }) => {
      const peer = peerOf(socket);
      const forwarded = headers['x-forwarded-for'];
      if (typeof forwarded !== 'string') return peer;
      if (forwarded.length > MAX_REMEMBERED_LENGTH) return walk(peer, forwarded, isTrusted);
      const cacheKey = `${peer} ${forwarded}`;
      const known = remembered.get(cacheKey);
      if (known !== undefined) return known;
      const client = walk(peer, forwarded, isTrusted);
      remembered.set(cacheKey, client);
      return client;
    },
    isProxy: (peer) => isTrusted(canonicalAddress(peer) ?? '', 0),
  };
}

/** Every client has the address from which it connects. */
function createPeerAddress(onForwarded: () => void): ClientAddress {
  let isTold = false;
  return {
    of: ({ headers, socket }) => {
      if (!isTold && headers['x-forwarded-for'] !== undefined) {
        isTold = true;
        onForwarded();
      }
      return peerOf(socket);
    },
    isProxy: () => false,
  };
}

type IsTrusted = (address: string, hop: number) => boolean;

function trustOf(trusted: TrustedProxies): IsTrusted {
  if ('hops' in trusted) return (_address, hop) => hop < trusted.hops;
  const networks = new BlockList();
  for (const network of trusted.networks) {
    const [address = '', prefix] = network.split('/');
    networks.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => networks.check(address, familyOf(address));
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** The first address, from the gateway outwards, that does not belong to a trusted proxy. Reads at most `MAX_HOPS` values. */
function walk(peer: string, forwarded: string, isTrusted: IsTrusted): string {
  let address = peer;
  let end = forwarded.length;
  for (let hop = 0; hop < MAX_HOPS && end > 0 && isTrusted(address, hop); hop++) {
    const comma = forwarded.lastIndexOf(',', end - 1);
    const next = addressOf(forwarded.slice(comma + 1, end).trim());
    if (next === null) break;
    address = next;
    end = comma;
  }
  return address;
}

/** Some proxies append the client's port. */
const WITH_PORT = /^(?:([\d.]+)|\[([\da-f:.]+)\])(?::\d{1,5})?$/i;

function addressOf(value: string): string | null {
  const [, ipv4, ipv6] = WITH_PORT.exec(value) ?? [];
  return canonicalAddress(ipv4 ?? ipv6 ?? value);
}

/** Fast, since every call needs it: the system's addresses are canonical except for mapping and zone. */
function peerOf({ remoteAddress }: IncomingMessage['socket']): string {
  if (remoteAddress === undefined) return 'unknown';
  const isMapped = remoteAddress.startsWith('::ffff:') && remoteAddress.includes('.');
  if (isMapped) return remoteAddress.slice('::ffff:'.length);
  const zoneAt = remoteAddress.indexOf('%');
  return zoneAt < 0 ? remoteAddress : remoteAddress.slice(0, zoneAt);
}
