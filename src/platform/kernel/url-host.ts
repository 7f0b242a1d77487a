/** A host as it stands in a URL: an IPv6 address is put in brackets (RFC 3986, section 3.2.2). */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Where a program on this machine reaches a server bound to `host`: a wildcard address is none to call. */
export const localHost = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : urlHost(host);
