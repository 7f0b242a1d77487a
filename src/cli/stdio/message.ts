import { isObject, type RpcId } from '../../dialects/json-rpc/json-rpc.ts';
import { PROTOCOL_VERSION_KEY } from '../../dialects/mcp/shared/detect-dialect.ts';

/** What a host wrote on one line, as far as the bridge must know it. */
export interface HostMessage {
  /** As it was written: what the gateway gets. */
  readonly body: Buffer;
  /** What has to be answered, by id; there are several in a batch, and none in a notification. */
  readonly ids: readonly RpcId[];
  /** Null for a batch and for what is no JSON-RPC. */
  readonly method: string | null;
  readonly params: Readonly<Record<string, unknown>>;
  /** The revision that a request which stands alone (2026-07-28) names in its `_meta`. */
  readonly revision: string | null;
}

/** Throws for a line that is not JSON. Whether it is JSON-RPC is for the gateway to say. */
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

/** Under which id an element has to be answered; null for one that is no JSON-RPC, none where no answer is due. */
function idOf(value: unknown): RpcId[] {
  if (!isObject(value)) return [null];
  const { id, method, result, error } = value;
  const isResponse = method === undefined && (result !== undefined || error !== undefined);
  const isNotification = typeof method === 'string' && id === undefined;
  if (isResponse || isNotification) return [];
  return [typeof id === 'string' || typeof id === 'number' ? id : null];
}
