import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../../platform/kernel/addresses.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { HOP_HEADER } from '../../platform/kernel/http-names.ts';

/** Browsers behind several proxies send about 40. More gets 431. */
export const MAX_HEADERS = 100;

/** Health probes address the gateway by its IP address. */
const HEALTH = /^\/health(\/|\?|$)/;

const SLASH = 0x2f;

/** Returns the error for a request that must be refused before it is processed. */
export type CheckRequest = (request: IncomingMessage) => GatewayError | undefined;

/**
 * Refuses requests that servers and proxies interpret differently, and requests for another host: under DNS rebinding, a
 * malicious page sends its own host name. `ownAddresses` are those at which clients reach the gateway. If empty, every
 * host is accepted. Also refuses requests of the gateway itself, which carry `hopMark`.
 */
export function createCheckRequest(ownAddresses: readonly string[], hopMark: string): CheckRequest {
  const hosts = new Set(ownAddresses.flatMap(hostsOf));

  const isForeign = (host: string, url: string | undefined): boolean =>
    hosts.size > 0 &&
    !hosts.has(host.toLowerCase()) &&
    !isLoopbackHost(host) &&
    !HEALTH.test(url ?? '');

  function explain(request: IncomingMessage): GatewayError | undefined {
    const issue = issueOf(request);
    if (issue) return new GatewayError('invalid_request', issue);
    if (request.rawHeaders.length > 2 * MAX_HEADERS) return new GatewayError('headers_too_large');
    if (hopsOf(request).includes(hopMark)) return new GatewayError('loop_detected');
    const host = hostOf(request);
    if (host === undefined || !isForeign(host, request.url)) return undefined;
    const own = [...hosts].filter((name) => !/:(80|443)$/.test(name)).join(' and ');
    return new GatewayError(
      'misdirected',
      `The Host header names another host: this gateway serves ${own}. A proxy must forward the Host header of its client.`,
    );
  }

  return (request) => {
    const { host, [HOP_HEADER]: hops } = request.headers;
    const isUsual =
      hops === undefined &&
      host !== undefined &&
      (hosts.size === 0 ? !host.includes(',') : hosts.has(host)) &&
      request.httpVersionMinor === 1 &&
      request.httpVersionMajor === 1 &&
      request.url?.charCodeAt(0) === SLASH &&
      request.rawHeaders.length <= 2 * MAX_HEADERS;
    return isUsual ? undefined : explain(request);
  };
}

/** The marks of the gateways that a request has passed: a gateway before this one may have added its own. */
const hopsOf = ({ headers }: IncomingMessage): string[] =>
  String(headers[HOP_HEADER] ?? '')
    .split(',')
    .map((mark) => mark.trim());

/** A host in the request target takes precedence over the header (RFC 9112 section 3.2.2). */
const hostOf = ({ url = '', headers }: IncomingMessage): string | undefined =>
  url.startsWith('/') || !URL.canParse(url) ? headers.host : new URL(url).host;

/** The sections refer to RFC 9112. */
function issueOf({ httpVersion, headers }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return `HTTP/${httpVersion} is not supported. Use HTTP/1.1.`; // section 2.3
  }
  if (httpVersion === '1.0' && (headers['transfer-encoding'] ?? headers['te']) !== undefined) {
    return 'HTTP/1.0 has no transfer codings. Use HTTP/1.1, or omit TE and Transfer-Encoding.'; // section 6.1
  }
  if (httpVersion === '1.1' && headers.host === undefined) {
    return 'The Host header is missing.'; // section 3.2
  }
  if (headers.host?.includes(',')) return 'The request has more than one Host header.'; // section 3.2
  return undefined;
}

/** The forms in which a client may write the host of an address: with or without the default port. */
function hostsOf(address: string): string[] {
  const { host, port, protocol } = new URL(address);
  return port ? [host] : [host, `${host}:${protocol === 'https:' ? 443 : 80}`];
}
