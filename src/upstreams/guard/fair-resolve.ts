import { GatewayError } from '../../platform/kernel/error.ts';
import type { Resolve } from './resolve.ts';

/** Resolves a host name for a tenant. */
export type FairResolve = (hostname: string, tenantId: string) => Promise<readonly string[]>;

/** Names that are resolved at the same time, in total and for one tenant: strangers choose them and their name servers. */
const MAX_PENDING = 512;
const MAX_PENDING_OF_TENANT = 32;

/** Shares look-ups of the same name, and lets no tenant with slow name servers use up those of the others. */
export function createFairResolve(resolve: Resolve): FairResolve {
  const pending = new Map<string, Promise<readonly string[]>>();
  const byTenant = new Map<string, number>();

  function count(tenantId: string, change: 1 | -1): void {
    const pendingOfTenant = (byTenant.get(tenantId) ?? 0) + change;
    if (pendingOfTenant === 0) byTenant.delete(tenantId);
    else byTenant.set(tenantId, pendingOfTenant);
  }

  function start(hostname: string, tenantId: string): Promise<readonly string[]> {
    count(tenantId, 1);
    const started = Promise.try(resolve, hostname).finally(() => {
      pending.delete(hostname);
      count(tenantId, -1);
    });
    pending.set(hostname, started);
    return started;
  }

  const isFull = (tenantId: string): boolean =>
    pending.size >= MAX_PENDING || (byTenant.get(tenantId) ?? 0) >= MAX_PENDING_OF_TENANT;

  return async (hostname, tenantId) => {
    const known = pending.get(hostname);
    if (known !== undefined) return known;
    if (isFull(tenantId)) throw tooManyNames();
    return start(hostname, tenantId);
  };
}

const tooManyNames = (): GatewayError =>
  new GatewayError('overloaded', 'Too many host names are being resolved. Retry in a moment.', {
    details: { retryAfterSeconds: 1 },
  });
