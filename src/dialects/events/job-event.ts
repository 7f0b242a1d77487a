import type { StreamHub } from '../../events/stream-hub.ts';
import { jobEventOf } from '../../registrations/job-event.ts';
import type { JobView } from '../../registrations/registration-views.ts';
import type { JobOwner } from '../../registrations/registrations.ts';

/**
 * Publishes the state of a registration job to the streams of the API key that asked for it, and to no other: other keys
 * of the tenant may not be allowed to see its tools (docs/contract.md#server-sent-events).
 */
export function publishJob(hub: StreamHub, view: JobView, { tenantId, apiKeyId }: JobOwner): void {
  if (!hub.hasStreams(tenantId)) return;
  hub.publishToKey(apiKeyId, { name: 'byoapi', data: JSON.stringify(jobEventOf(view)) });
}
