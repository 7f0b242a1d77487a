import type { SseClient } from './sse-client.ts';

interface CallResponse {
  readonly result?: { readonly auditId?: string };
  readonly error?: { readonly data?: { readonly auditId?: string } };
}

/** The id of the audit record that the response to a call names, also if it failed. */
export function auditIdOf(response: unknown): string | undefined {
  const { result, error } = response as CallResponse;
  return result?.auditId ?? error?.data?.auditId;
}

/** Those of the calls whose events a stream has received so far. */
export const auditIdsOf = (stream: SseClient): string[] =>
  stream.messages().flatMap(({ params }) => params?.auditId ?? []);
