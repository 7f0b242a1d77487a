/** A host in the form used in a URL: an IPv6 address is put in brackets (RFC 3986 section 3.2.2). */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The host at which a program on this machine reaches a server bound to `host`: a wildcard is not an address to call. */
export const localHost = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : urlHost(host);

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** Whether a host as in a URL or a Host header, with or without a port, is this machine. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK.test(host);

/** An address as it is shown: a query may contain a secret. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
