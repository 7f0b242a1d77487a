import { encodeSseEvent } from '../../events/event-stream.ts';
import type { StreamHub } from '../../events/stream-hub.ts';
import type { JobView } from '../../registrations/registration-views.ts';
import { jobEventOf } from '../../registrations/registration-views.ts';
import type { JobOwner } from '../../registrations/registrations.ts';

/**
 * Publishes the state of a registration job to the streams of the API key that asked for it, and to no other: other keys
 * of the tenant may not be allowed to see its tools (docs/contract.md#server-sent-events).
 */
export function publishJob(hub: StreamHub, view: JobView, owner: JobOwner): void {
  if (!hub.isAwaited(owner.tenantId)) return;
  hub.publishToKey(owner, encodeSseEvent('byoapi', JSON.stringify(jobEventOf(view))));
}
