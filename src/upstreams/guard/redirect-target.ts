import { GatewayError } from '../../platform/kernel/error.ts';
import type { Guard } from './guard.ts';

/** The address of a redirect. Throws if it may not be requested, or would leave https. */
export function redirectTarget(guard: Pick<Guard, 'checkUrl'>, from: URL, location: string): URL {
  const target = URL.parse(location, from);
  if (!target) throw refused('invalid_request', from, 'The new address is not a valid URL.');
  if (from.protocol === 'https:' && target.protocol === 'http:') {
    throw refused('upstream_blocked', from, 'The new address must start with https:// too.');
  }
  try {
    return guard.checkUrl(target.href);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw refused(error.code, from, error.message);
  }
}

const refused = (code: GatewayError['code'], { host }: URL, reason: string): GatewayError =>
  new GatewayError(code, `${host} redirects to an address that the gateway rejects. ${reason}`);
