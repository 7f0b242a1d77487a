import { GatewayError } from '../../platform/kernel/error.ts';
import { type OpenTopic, SILENT_TOPIC } from '../../platform/redis/topics.ts';

/** Readers of one tenant's jobs in one process. */
export const MAX_READERS = 100;

export type JobFeed<Job> = ReturnType<typeof createJobFeed<Job>>;

/** Tells the readers of a tenant how its jobs proceed, whichever replica accepted or runs them. */
export function createJobFeed<Job>(openTopic: OpenTopic = () => SILENT_TOPIC) {
  const byTenant = new Map<string, Set<(job: Job) => void>>();
  const topic = openTopic('jobs', (tenantId, { body }) =>
    tell(tenantId, JSON.parse(body.toString())),
  );

  function tell(tenantId: string, job: Job): void {
    for (const reader of byTenant.get(tenantId) ?? []) reader(job);
  }

  return {
    /** Calls `reader`, which must not throw, until the returned function is called. Throws `rate_limited` at the bound. */
    follow: (tenantId: string, reader: (job: Job) => void) => {
      const readers = byTenant.get(tenantId) ?? new Set();
      if (readers.size >= MAX_READERS) throw tooMany();
      // A reader of its own, because two pages may follow with the same function.
      const own = (job: Job): void => reader(job);
      byTenant.set(tenantId, readers.add(own));
      void topic.listen(tenantId);
      return (): void => {
        if (readers.delete(own)) topic.leave(tenantId);
        if (readers.size === 0 && byTenant.get(tenantId) === readers) byTenant.delete(tenantId);
      };
    },
    publish: (tenantId: string, job: Job): void => {
      tell(tenantId, job);
      if (!topic.isAwaited(tenantId)) return;
      topic.publish(tenantId, { head: {}, body: Buffer.from(JSON.stringify(job)) });
    },
    close: topic.close,
  };
}

const tooMany = (): GatewayError =>
  new GatewayError(
    'rate_limited',
    `${MAX_READERS} pages follow the jobs of this tenant. Close some, or reload the page.`,
  );
