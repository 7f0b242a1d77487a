import { GatewayError } from '../../platform/kernel/error.ts';

/** Exports of one tenant at once: each occupies the thread that also runs searches. */
const MAX_EXPORTS_PER_TENANT = 2;

/** Bounds how many exports each tenant runs at once. */
export interface ExportSlots {
  /** Returns the function that ends the export; it may be called twice. Throws GatewayError `rate_limited`. */
  take(tenantId: string): () => void;
}

export function createExportSlots(): ExportSlots {
  /** Only tenants with a running export. */
  const running = new Map<string, number>();
  const change = (tenantId: string, by: number): void => {
    const count = (running.get(tenantId) ?? 0) + by;
    if (count > 0) running.set(tenantId, count);
    else running.delete(tenantId);
  };
  return {
    take(tenantId) {
      if ((running.get(tenantId) ?? 0) >= MAX_EXPORTS_PER_TENANT) throw tooMany();
      change(tenantId, 1);
      let isTaken = true;
      return () => {
        if (isTaken) change(tenantId, -1);
        isTaken = false;
      };
    },
  };
}

const tooMany = (): GatewayError =>
  new GatewayError(
    'rate_limited',
    `${MAX_EXPORTS_PER_TENANT} exports of this tenant are running. Retry when one has ended.`,
    { details: { retryAfterSeconds: 5 } },
  );
