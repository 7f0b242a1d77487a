import { onTestFinished } from 'vitest';
import { Deadline } from '../../../platform/kernel/deadline.ts';
import type { Departure } from '../../../platform/kernel/departure.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import type { UpstreamRequest } from '../../../tools/model.ts';
import { createUpstreamClient, type UpstreamClientOptions } from '../create-upstream-client.ts';
import type { RawResponse, UpstreamClient } from '../upstream-client.ts';

interface SendTuning extends Partial<UpstreamRequest> {
  readonly deadlineMs?: number;
  readonly departure?: Departure;
  readonly tenantId?: string;
  readonly idempotent?: boolean;
}

/** Sends `path` to one origin, a GET unless said otherwise. */
export type Send = (path: string, tuning?: SendTuning) => Promise<RawResponse>;

/** A client that the test closes, with limits small enough to be reached. */
export function newClient(options: Partial<UpstreamClientOptions> = {}): UpstreamClient {
  const client = createUpstreamClient({
    maxBytes: 256 * 1024,
    concurrencyPerOrigin: 8,
    closeGraceMs: 0,
    retry: { baseDelayMs: 1 },
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

export function sender(client: UpstreamClient, origin: string): Send {
  const memory = { take: () => true, give: () => undefined };
  return (
    path,
    { deadlineMs = 10_000, tenantId = 'tenant', departure, idempotent = true, ...request } = {},
  ) =>
    client.send(
      { method: 'GET', origin, path, headers: {}, body: null, redactedUrl: origin, ...request },
      { tenantId, deadline: Deadline.in(deadlineMs), departure, idempotent, memory },
    );
}

/** The error that a call ends with. */
export async function failureOf(call: Promise<unknown>): Promise<GatewayError> {
  const error = await call.then(
    () => new Error('The call was answered.'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof GatewayError) return error;
  throw error;
}

/** Waits until something holds; for what happens in the background of an answered call. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
