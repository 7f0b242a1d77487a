import { GatewayError } from '../../platform/kernel/error.ts';

/** Exports of one tenant at once: each occupies the database, and that of audit records the thread that also runs searches. */
const MAX_EXPORTS_PER_TENANT = 2;

/** Bounds how many exports each tenant runs at once. */
export interface ExportSlots {
  /**
   * The same chunks. The export begins with this call, and ends with the iteration, which the reader's disconnect ends too.
   * Throws GatewayError `rate_limited`.
   */
  run(tenantId: string, chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
}

export function createExportSlots(): ExportSlots {
  /** Only tenants with a running export. */
  const running = new Map<string, number>();
  const change = (tenantId: string, by: number): void => {
    const count = (running.get(tenantId) ?? 0) + by;
    if (count > 0) running.set(tenantId, count);
    else running.delete(tenantId);
  };
  async function* exported(
    tenantId: string,
    chunks: AsyncIterable<Buffer>,
  ): AsyncGenerator<Buffer> {
    try {
      yield* chunks;
    } finally {
      change(tenantId, -1);
    }
  }
  return {
    run(tenantId, chunks) {
      if ((running.get(tenantId) ?? 0) >= MAX_EXPORTS_PER_TENANT) throw tooMany();
      change(tenantId, 1);
      return exported(tenantId, chunks);
    },
  };
}

const tooMany = (): GatewayError =>
  new GatewayError(
    'rate_limited',
    `${MAX_EXPORTS_PER_TENANT} of these exports are running. Retry when one has ended.`,
    { details: { retryAfterSeconds: 5 } },
  );
