import { keyNamesOf } from '../calls/provider-keys/key-users.ts';
import { createBuckets } from '../calls/quotas/quota-bucket.ts';
import { readKeyUse } from '../calls/quotas/quota-figures.ts';
import { createQuotaLedger } from '../calls/quotas/quota-ledger.ts';
import { createQuotaStore } from '../calls/quotas/quota-store.ts';
import {
  createQuotas,
  createQuotaWarnings,
  type Quotas,
  type QuotaWarning,
} from '../calls/quotas/quotas.ts';
import { encodeSseEvent } from '../events/event-stream.ts';
import type { StreamHub } from '../events/stream-hub.ts';
import { createOutageLog } from '../platform/kernel/log-lines.ts';
import { repeat, zonedDay } from '../platform/kernel/time.ts';
import { TO_ALL } from '../platform/redis/channels.ts';
import type { ProviderUse } from '../statistics/operations.ts';
import type { GatewayContext } from './options.ts';
import type { ReadinessParts } from './readiness.ts';
import type { Storage } from './storage.ts';

/** Opens what counts the requests to providers, and warns operators. The sandbox allows any number. */
export function openQuotas(
  { clock, logger, parts, isSandbox, securityLog }: GatewayContext,
  { database, replicas, bus }: Storage,
  { hub, providerKeys }: Pick<ReadinessParts, 'providerKeys'> & { readonly hub: StreamHub },
): Quotas {
  const store = createQuotaStore({ database, clock });
  const onError = createOutageLog(logger, 'requests to providers cannot be counted');
  const every = (task: () => Promise<void>, pauseMs: number): void => {
    const stop = repeat(
      () => task().catch(onError),
      () => pauseMs,
    );
    parts.add({ close: async () => stop() });
  };
  every(store.trim, TRIM_MS);
  const ledger = parts.add(
    createQuotaLedger({
      store,
      clock,
      processes: replicas.living,
      announce: (bucket) => void bus?.publish(TO_ALL, { kind: QUOTA_CHANGED, bucket }),
      onError,
    }),
  );
  function tellOperators(warning: string): void {
    hub.publishToOperators(encodeSseEvent('quota', warning));
  }
  const warn = (warning: QuotaWarning): void => {
    securityLog.record('quota_running_out', { ...warning }, warning.dataset);
    tellOperators(JSON.stringify(warning));
    bus?.publish(TO_ALL, { kind: QUOTA_WARNING, warning: JSON.stringify(warning) });
  };
  every(createQuotaWarnings({ ledger, store, warn }), WARN_MS);
  bus?.handle(QUOTA_WARNING, ({ head }) => tellOperators(String(head['warning'])));
  bus?.handle(QUOTA_CHANGED, ({ head }) => ledger.refresh(String(head['bucket'])));
  return createQuotas(ledger, {
    bucketOf: createBuckets(isSandbox ? null : providerKeys.quotaOf),
    read: store.read,
  });
}

/** How often the use of quotas is checked. */
const WARN_MS = 10_000;
/** The message by which the operators' streams of other replicas learn that a quota runs out. */
const QUOTA_WARNING = 'quota.warning';

/** How often old rows are removed. */
const TRIM_MS = 3_600_000;

/** The message by which other replicas learn that a provider refuses. */
const QUOTA_CHANGED = 'quota.changed';

/** What has been sent today with each of the operator's keys. */
export const readProviderUse = (
  { catalog, clock }: GatewayContext,
  { quotas, keyInUse }: { readonly quotas: Quotas } & Pick<ReadinessParts, 'keyInUse'>,
): Promise<ProviderUse[]> =>
  Promise.all(
    keyNamesOf(catalog).map(async (secret) => {
      const entries = catalog.presetEntries.filter(({ tool }) => tool.secrets.includes(secret));
      const zone = entries[0]?.tool.quota?.zone ?? 'Asia/Seoul';
      const resetsAtMs = zonedDay(clock.now(), zone).endMs;
      const key = keyInUse(secret);
      if (!key) return { secret, requestsToday: 0, resetsAtMs, tools: [], tenants: [] };
      const { requests, tools, tenants } = await readKeyUse(quotas, entries, key);
      return { secret, requestsToday: requests, resetsAtMs, tools, tenants };
    }),
  );
