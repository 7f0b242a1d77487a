import { decodeRefusal, unreachable } from './admin-error.ts';
import { formatRequest } from './admin-request.ts';
import type { AdminAnswer, AdminInput, AdminRouteKey } from './admin-types.ts';

export interface CallOptions {
  /** Ends the request; queries pass theirs. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a route of the gateway's table, such as `callAdmin('GET /tenants/:tenant/keys', { tenant })`.
 * Throws an AdminError if the gateway refuses, fails or cannot be reached.
 */
export async function callAdmin<Key extends AdminRouteKey>(
  key: Key,
  input: AdminInput<Key>,
  options: CallOptions = {},
): Promise<AdminAnswer<Key>> {
  const response = await sendAdmin(key, input, options);
  const text = await response.text();
  return (text ? JSON.parse(text) : null) as AdminAnswer<Key>;
}

/** As callAdmin, for answers that are not JSON or too large for it. The status is a success. */
export async function sendAdmin<Key extends AdminRouteKey>(
  key: Key,
  input: AdminInput<Key>,
  { signal }: CallOptions = {},
): Promise<Response> {
  const { method, url, body } = formatRequest(key, input);
  const response = await send(url, {
    method,
    credentials: 'same-origin',
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    body,
    signal: signal ?? null,
  });
  if (response.ok) return response;
  const text = await response.text().catch(() => '');
  throw decodeRefusal(response.status, parse(text), response.headers.get('x-request-id'));
}

/** The address of a route: for a link that downloads a file, or for an EventSource. */
export const adminUrl = <Key extends AdminRouteKey & `GET ${string}`>(
  key: Key,
  input: AdminInput<Key>,
): string => formatRequest(key, input).url;

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw unreachable();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
