import { OPERATOR } from '../access/provider-keys/provider-key-store.ts';
import { createOutageLog } from '../platform/kernel/log-lines.ts';
import { createLastGoodStore, type LastGoodStore } from '../upstreams/cache/last-good.ts';
import type { GatewayContext } from './options.ts';
import type { ReadinessParts } from './readiness.ts';
import type { Storage } from './storage.ts';

/** Opens the last good responses of presets. What a tenant's key received goes with the key. The sandbox keeps none. */
export function openLastGood(
  { settings, clock, logger, parts, isSandbox }: GatewayContext,
  { database: { db } }: Storage,
  { providerKeys }: ReadinessParts,
): LastGoodStore | undefined {
  const { LAST_GOOD_MAX_BYTES: maxBytes, LAST_GOOD_MAX_ANSWER_BYTES: maxAnswerBytes } = settings;
  if (isSandbox || maxBytes === 0) return undefined;
  const onError = createOutageLog(logger, 'last good responses cannot be stored or read');
  const lastGood = parts.add(createLastGoodStore({ db, clock, maxBytes, maxAnswerBytes, onError }));
  providerKeys.onChanged((changed) => {
    const tenants = new Set(changed.map(({ tenantId }) => tenantId));
    tenants.delete(OPERATOR);
    for (const tenantId of tenants) void lastGood.forget(tenantId).catch(onError);
  });
  return lastGood;
}
