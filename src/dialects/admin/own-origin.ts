import { GatewayError } from '../../platform/kernel/error.ts';
import type { RequestHeaders } from '../route.ts';

/** What the check of a request's origin needs to know of its route. */
export interface OriginRule {
  readonly isWrite: boolean;
  readonly allowsCrossSite: boolean;
}

/**
 * Throws `forbidden` unless the request comes from a page of the dashboard itself. Pages of other ports of this machine are
 * strangers, although browsers call them the same site. A write needs `Origin`; `Sec-Fetch-Site` counts wherever it is sent,
 * which browsers do only on https and on this machine (W3C Fetch Metadata).
 * `ownOrigins` are those of the settings; without any, the origin must be that of the `Host`.
 */
export function assertOwnOrigin(
  headers: RequestHeaders,
  { isWrite, allowsCrossSite }: OriginRule,
  ownOrigins: readonly string[],
): void {
  const { origin, host } = headers;
  if (origin === undefined ? isWrite : !isOwn(String(origin), String(host), ownOrigins)) {
    throw foreign(ownOrigins);
  }
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin') return;
  if (isWrite || !(site === 'none' || allowsCrossSite)) throw foreign(ownOrigins);
}

const isOwn = (origin: string, host: string, ownOrigins: readonly string[]): boolean =>
  ownOrigins.length > 0
    ? ownOrigins.includes(origin)
    : origin === `http://${host}` || origin === `https://${host}`;

const foreign = ([own]: readonly string[]): GatewayError =>
  new GatewayError(
    'forbidden',
    own
      ? `Only pages of the dashboard may do this. Open it at ${own}.`
      : 'Only pages of the dashboard may do this.',
  );
