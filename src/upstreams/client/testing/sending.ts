import { onTestFinished } from 'vitest';
import type { Cancellation } from '../../../platform/kernel/cancellation.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { Deadline } from '../../../platform/kernel/time.ts';
import type { UpstreamRequest } from '../../../tools/model.ts';
import type { RawResponse, RequestSender, SendOptions } from '../../../tools/tool-connection.ts';
import {
  createUpstreamClient,
  type UpstreamClient,
  type UpstreamClientOptions,
} from '../create-upstream-client.ts';

interface SendTuning extends Partial<UpstreamRequest> {
  readonly deadlineMs?: number;
  readonly cancellation?: Cancellation;
  readonly tenantId?: string;
  readonly idempotent?: boolean;
  readonly onSent?: SendOptions['onSent'];
}

/** Sends a request for `path` to one origin, by default a GET. */
export type Send = (path: string, tuning?: SendTuning) => Promise<RawResponse>;

/** A client that the test closes, with limits small enough for a test. */
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

export function sender(client: RequestSender, origin: string): Send {
  const memory = { take: () => true, give: () => undefined };
  return (
    path,
    {
      deadlineMs = 10_000,
      tenantId = 'tenant',
      cancellation,
      idempotent = true,
      onSent,
      ...request
    } = {},
  ) =>
    client.send(
      { method: 'GET', origin, path, headers: {}, body: null, redactedUrl: origin, ...request },
      { tenantId, deadline: Deadline.in(deadlineMs), cancellation, idempotent, memory, onSent },
    );
}

/** The error that a call ends with. */
export async function failureOf(call: Promise<unknown>): Promise<GatewayError> {
  const error = await call.then(
    () => new Error('The call succeeded.'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof GatewayError) return error;
  throw error;
}
