import { createLastGoodStore, type LastGoodStore } from '../cache/last-good.ts';
import { createOutageLog } from '../platform/kernel/log-lines.ts';
import type { GatewayContext } from './options.ts';
import type { ReadinessParts } from './readiness.ts';
import type { Storage } from './storage.ts';

/** Opens the last good responses of presets. Those with a tenant's own key go with the key. The sandbox keeps none. */
export function openLastGood(
  { settings, clock, logger, parts, isSandbox }: GatewayContext,
  { database: { db } }: Storage,
  { ownKeys }: ReadinessParts,
): LastGoodStore | undefined {
  const { LAST_GOOD_MAX_BYTES: maxBytes, LAST_GOOD_MAX_ANSWER_BYTES: maxAnswerBytes } = settings;
  if (isSandbox || maxBytes === 0) return undefined;
  const onError = createOutageLog(logger, 'last good responses cannot be stored or read');
  const lastGood = parts.add(createLastGoodStore({ db, clock, maxBytes, maxAnswerBytes, onError }));
  ownKeys.onChanged((changed) => {
    for (const tenantId of new Set(changed.map((key) => key.tenantId))) {
      void lastGood.forget(tenantId).catch(onError);
    }
  });
  return lastGood;
}
