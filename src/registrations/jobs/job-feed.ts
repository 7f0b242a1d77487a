import { GatewayError } from '../../platform/kernel/error.ts';

/** Readers of one tenant's jobs in one process. */
export const MAX_READERS = 100;

/** Tells the readers of a tenant how its jobs proceed that this process accepted or runs. */
export interface JobFeed<Job> {
  /** Calls `reader`, which must not throw, until the returned function is called. Throws `rate_limited` at the bound. */
  follow(tenantId: string, reader: (job: Job) => void): () => void;
  publish(tenantId: string, job: Job): void;
}

export function createJobFeed<Job>(): JobFeed<Job> {
  const byTenant = new Map<string, Set<(job: Job) => void>>();
  return {
    follow: (tenantId, reader) => {
      const readers = byTenant.get(tenantId) ?? new Set();
      if (readers.size >= MAX_READERS) throw tooMany();
      // A reader of its own, because two pages may follow with the same function.
      const own = (job: Job): void => reader(job);
      byTenant.set(tenantId, readers.add(own));
      return () => {
        readers.delete(own);
        if (readers.size === 0 && byTenant.get(tenantId) === readers) byTenant.delete(tenantId);
      };
    },
    publish: (tenantId, job) => {
      for (const reader of byTenant.get(tenantId) ?? []) reader(job);
    },
  };
}

const tooMany = (): GatewayError =>
  new GatewayError(
    'rate_limited',
    `${MAX_READERS} pages follow the jobs of this tenant. Close some, or reload the page.`,
  );
