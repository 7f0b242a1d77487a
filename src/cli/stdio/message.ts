import type { RpcId } from '../../dialects/json-rpc/json-rpc.ts';
import { PROTOCOL_VERSION_KEY } from '../../dialects/mcp/shared/detect-dialect.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';

/** What a host wrote on one line, as far as the bridge needs to know it. */
export interface HostMessage {
  /** The bytes of the line, which are sent to the gateway unchanged. */
  readonly body: Buffer;
  /** The ids that need a response: several in a batch, none in a notification. */
  readonly ids: readonly RpcId[];
  /** Null for a batch and for JSON that is not JSON-RPC. */
  readonly method: string | null;
  readonly params: Readonly<Record<string, unknown>>;
  /** The revision that a stateless request (2026-07-28) names in its `_meta`. */
  readonly revision: string | null;
}

/** Throws for a line that is not JSON. The gateway decides whether it is JSON-RPC. */
export function readMessage(body: Buffer): HostMessage {
  const value: unknown = JSON.parse(body.toString('utf8'));
  const batch = Array.isArray(value) ? value : [value];
  const single = isObject(value) ? value : {};
  const method = single['method'];
  const params = isObject(single['params']) ? single['params'] : {};
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const revision = meta[PROTOCOL_VERSION_KEY];
  return {
    body,
    ids: batch.flatMap(idOf),
    method: typeof method === 'string' ? method : null,
    params,
    revision: typeof revision === 'string' ? revision : null,
  };
}

/** The id of the response to an element: null for one that is not JSON-RPC, none if it needs no response. */
function idOf(value: unknown): RpcId[] {
  if (!isObject(value)) return [null];
  const { id, method, result, error } = value;
  const isResponse = method === undefined && (result !== undefined || error !== undefined);
  const isNotification = typeof method === 'string' && id === undefined;
  if (isResponse || isNotification) return [];
  return [typeof id === 'string' || typeof id === 'number' ? id : null];
}
