import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../platform/kernel/error.ts';

/** Browsers behind several proxies send some 40. More gets 431. */
export const MAX_HEADERS = 100;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Probes come by address. */
const PROBED = /^\/health(\/|\?|$)/;

const SLASH = 0x2f;

/** Finds what makes a request one to refuse before anything of it is looked at. */
export type CheckRequest = (request: IncomingMessage) => GatewayError | undefined;

/**
 * Refuses requests that servers and proxies understand differently, and those for another host: a page that a browser
 * was lured to by way of its name server says the name of that page (DNS rebinding). `ownAddresses` are those under
 * which clients reach the gateway; without any, every host is taken.
 */
export function createCheckRequest(ownAddresses: readonly string[]): CheckRequest {
  const hosts = new Set(ownAddresses.flatMap(hostsOf));

  const isForeign = (host: string, url: string | undefined): boolean =>
    hosts.size > 0 &&
    !hosts.has(host.toLowerCase()) &&
    !LOOPBACK.test(host) &&
    !PROBED.test(url ?? '');

  function explain(request: IncomingMessage): GatewayError | undefined {
    const fault = faultOf(request);
    if (fault) return new GatewayError('invalid_request', fault);
    if (request.rawHeaders.length > 2 * MAX_HEADERS) return new GatewayError('headers_too_large');
    const host = hostOf(request);
    if (host === undefined || !isForeign(host, request.url)) return undefined;
    const own = [...hosts].filter((name) => !/:(80|443)$/.test(name)).join(' and ');
    return new GatewayError(
      'misdirected',
      `The Host header names another host: this gateway answers for ${own}. A proxy must pass the Host of its client on.`,
    );
  }

  return (request) => {
    const { host } = request.headers;
    const isUsual =
      host !== undefined &&
      (hosts.size === 0 ? !host.includes(',') : hosts.has(host)) &&
      request.httpVersionMinor === 1 &&
      request.httpVersionMajor === 1 &&
      request.url?.charCodeAt(0) === SLASH &&
      request.rawHeaders.length <= 2 * MAX_HEADERS;
    return isUsual ? undefined : explain(request);
  };
}

/** A target with a host of its own counts for more than the header (RFC 9112 section 3.2.2). */
const hostOf = ({ url = '', headers }: IncomingMessage): string | undefined =>
  url.startsWith('/') || !URL.canParse(url) ? headers.host : new URL(url).host;

/** The clauses are of RFC 9112. */
function faultOf({ httpVersion, headers }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return `HTTP/${httpVersion} is not supported. Use HTTP/1.1.`; // section 2.3
  }
  if (httpVersion === '1.0' && (headers['transfer-encoding'] ?? headers['te']) !== undefined) {
    return 'HTTP/1.0 has no transfer codings. Use HTTP/1.1, or leave TE and Transfer-Encoding out.'; // section 6.1
  }
  if (httpVersion === '1.1' && headers.host === undefined) {
    return 'The Host header is missing.'; // section 3.2
  }
  if (headers.host?.includes(',')) return 'There is more than one Host header.'; // section 3.2
  return undefined;
}

/** As a client may write the host of an address: with the port that goes without saying, or without. */
function hostsOf(address: string): string[] {
  const { host, port, protocol } = new URL(address);
  return port ? [host] : [host, `${host}:${protocol === 'https:' ? 443 : 80}`];
}
