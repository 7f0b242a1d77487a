import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { canonicalAddress } from '../../platform/kernel/addresses.ts';
import { GatewayError } from '../../platform/kernel/error.ts';

export interface UrlPolicy {
  /** ALLOW_PRIVATE_UPSTREAMS: for development. */
  readonly allowPrivate: boolean;
  /** Host names of the gateway itself, in lower case. */
  readonly ownHosts: ReadonlySet<string>;
}

/** Longest address of a registered API. */
const MAX_CHARACTERS = 2048;
/** Longest host name (RFC 1035 section 2.3.4). */
const MAX_HOST_CHARACTERS = 253;

/** URL parsers drop some of them, so that the address would not be the one that people read. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Names that never leave a machine or its network (RFC 6761, RFC 6762, RFC 8375, ICANN's .internal). */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa|onion|invalid|test)$/;

/** Labels of letters, digits, hyphens and underscores: what DNS can contain after IDNA. */
const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/**
 * Reads an address that a stranger chose. Throws `upstream_blocked` for one that may not be requested whatever DNS says of
 * it. The parser of URLs turns every form of an IPv4 address (127.1, 0x7f000001, full-width digits) into one. Use the
 * returned URL, not the text.
 */
export function checkUrl(text: string, { allowPrivate, ownHosts }: UrlPolicy): URL {
  if (text.length > MAX_CHARACTERS) {
    throw blocked(`must not be longer than ${MAX_CHARACTERS} characters.`);
  }
  if (CONTROL.test(text)) throw blocked('must not contain control characters.');
  const url = URL.parse(text);
  if (!url) throw blocked('is not a valid URL.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw blocked('must start with http:// or https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw blocked('must not contain a user name or password; use `auth` for credentials.');
  }
  if (url.port === '0') throw blocked('must not have port 0.');
  // DNS ignores a trailing dot, but origins and certificates are compared without it.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  const host = hostOf(url);
  if (!isHost(host)) throw blocked('has an invalid host name.');
  if (ownHosts.has(host)) throw blocked('must not be an address of this gateway.');
  if (!allowPrivate && isLocal(host)) throw blocked('must be on the public internet.');
  return url;
}

/** The host without the brackets of IPv6. The parser of URLs has put it into lower case. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

const isHost = (host: string): boolean =>
  isIP(host) !== 0 || (host.length <= MAX_HOST_CHARACTERS && NAME.test(host));

const isLocal = (host: string): boolean =>
  isIP(host) === 0 ? LOCAL_NAME.test(host) || !host.includes('.') : !isPublicAddress(host);

const blocked = (reason: string): GatewayError =>
  new GatewayError('upstream_blocked', `The address ${reason}`);

/** Global unicast (RFC 4291 section 2.4); everything else of IPv6 is special or unassigned. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/** IETF protocol assignments (RFC 2928), Teredo among them. */
const PROTOCOL_ASSIGNMENTS = ipaddr.parseCIDR('2001::/23');

/** The host agent of Azure, which every virtual machine reaches at this public address. */
const AZURE_HOST = '168.63.129.16';

/**
 * Whether an IP address belongs to the public internet: unicast, and outside of the special-purpose ranges of the IANA
 * registries (RFC 6890), those that embed an IPv4 address included (NAT64, 6to4, Teredo). False for any other text, and
 * for an address with a zone, which names an interface of this machine.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const canonical = canonicalAddress(text) ?? text;
  if (canonical === AZURE_HOST) return false;
  const address = ipaddr.parse(canonical);
  if (address.range() !== 'unicast') return false;
  return (
    address.kind() === 'ipv4' ||
    (address.match(GLOBAL_UNICAST) && !address.match(PROTOCOL_ASSIGNMENTS))
  );
}
