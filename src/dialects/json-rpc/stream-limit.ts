import type { StreamHub } from '../../events/stream-hub.ts';
import { GatewayError } from '../../platform/kernel/error.ts';

/** Throws `rate_limited` if the key has as many streams open as it may. Call it before opening a stream. */
export function assertRoomForStream(hub: Pick<StreamHub, 'hasRoom'>, apiKeyId: string): void {
  if (hub.hasRoom(apiKeyId)) return;
  throw new GatewayError('rate_limited', 'This API key has too many open streams; close some.', {
    details: { retryAfterSeconds: 1 },
  });
}
