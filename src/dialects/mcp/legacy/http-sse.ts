import type { Caller } from '../../../access/keys/caller.ts';
import type { StreamHub } from '../../../events/stream-hub.ts';
import { type Lease, overBudget } from '../../../platform/kernel/byte-budget.ts';
import type { Cancellation } from '../../../platform/kernel/cancellation.ts';
import type { Closeable } from '../../../platform/kernel/closeable.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { isObject } from '../../../platform/kernel/plain-json.ts';
import { callContextOf } from '../../json-rpc/call-context.ts';
import { ACCEPTED, type McpDialect } from '../../json-rpc/dialect.ts';
import { isId, isRequest, type RpcMessage, type RpcRequest } from '../../json-rpc/json-rpc.ts';
import { type Methods, type Protocol, respondTo } from '../../json-rpc/methods.ts';
import { holds } from '../../json-rpc/splice.ts';
import type { RequestFacts } from '../../route.ts';
import type { DialectName } from '../shared/detect-dialect.ts';
import { encodeError, refuse } from '../shared/encode.ts';
import { frameMessage } from '../shared/frame-message.ts';
import { progressTokenOf, reportProgress } from '../shared/progress.ts';
import { clientNameOf, decodeLegacyMessage } from './decode.ts';
import { createSessions, type Session } from './session.ts';

const DIALECT: DialectName = 'http-sse';

export interface HttpSseDeps {
  readonly hub: Pick<StreamHub, 'find'>;
  readonly methods: Methods;
}

/** A JSON-RPC request with the POST that carried it. */
interface PostedRequest {
  readonly message: RpcRequest;
  readonly request: RequestFacts;
  readonly caller: Caller;
}

/**
 * HTTP+SSE of 2024-11-05: clients post messages to the address that the stream announced, and receive the responses on
 * the stream. `close` resolves when every response in progress has been sent; new requests are refused meanwhile.
 */
export function createHttpSse({ hub, methods }: HttpSseDeps): McpDialect & Closeable {
  const protocol: Protocol = { methods, encodeError };
  const findSession = createSessions(hub);
  const inProgress = new Set<Promise<void>>();
  let closing = false;

  function start(posted: PostedRequest, session: Session): void {
    const { id, method, params } = posted.message;
    session.assertUnused(id);
    if (closing || session.isFull) {
      throw new GatewayError('overloaded', 'Too many requests of this session are under way.');
    }
    if (method === 'initialize') session.clientName = clientNameOf(params);
    const cancellation = session.begin(id);
    const done = replyTo(protocol, posted, session, cancellation).finally(() => {
      session.end(id);
      inProgress.delete(done);
    });
    inProgress.add(done);
  }

  return {
    respond: (request, caller, body) => {
      const session = findSession(String(request.query['sessionId']), caller.apiKeyId);
      try {
        const message = decodeLegacyMessage(body);
        if (message === null) return ACCEPTED;
        if (isRequest(message)) start({ message, request, caller }, session);
        else cancelNamed(message, session);
        return ACCEPTED;
      } catch (error) {
        if (error instanceof GatewayError && error.code === 'overloaded') throw error;
        return refuse(error);
      }
    },
    refuse,
    close: async () => {
      closing = true;
      await Promise.all(inProgress);
    },
  };
}

/** Runs a request and sends the response on the stream, unless the request is cancelled. Never rejects. */
async function replyTo(
  protocol: Protocol,
  { message, request, caller }: PostedRequest,
  { stream, clientName }: Session,
  cancellation: Cancellation,
): Promise<void> {
  // The lease of the POST closes long before the reply has left on the stream.
  let lease: Lease | undefined;
  const replyLease = (): Lease => {
    lease ??= request.lease().fork();
    return lease;
  };
  const context = { ...callContextOf(request, caller, DIALECT, clientName), lease: replyLease };
  const { limited, query } = request;
  const state = { limited, query, cancellation: () => cancellation };
  const work = respondTo(protocol, message, context, state);
  const token = progressTokenOf(message.params);
  if (token !== undefined && work instanceof Promise) {
    void reportProgress(work, token, (notification) => {
      stream.send({ name: 'message', data: notification.toString() });
    });
  }
  const response = await work;
  const reply = holds(replyLease, response) ? response : encodeError(message.id, overBudget());
  if (!cancellation.isCancelled) await stream.reply(frameMessage(reply));
  lease?.close();
}

function cancelNamed({ method, params }: RpcMessage, session: Session): void {
  if (method !== 'notifications/cancelled' || !isObject(params)) return;
  const id = params['requestId'];
  if (isId(id)) session.cancel(id);
}
