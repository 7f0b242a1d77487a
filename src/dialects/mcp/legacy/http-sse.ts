import { encodeSseEvent } from '../../../events/event-stream.ts';
import type { ClientStream, StreamHub } from '../../../events/stream-hub.ts';
import { type Awaitable, whenReady } from '../../../platform/kernel/awaitable.ts';
import { type MemoryHold, overBudget } from '../../../platform/kernel/byte-budget.ts';
import type { Caller } from '../../../platform/kernel/caller.ts';
import type { Cancellation } from '../../../platform/kernel/cancellation.ts';
import type { Closeable } from '../../../platform/kernel/closing.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { memoizeEach } from '../../../platform/kernel/memo.ts';
import { isObject } from '../../../platform/kernel/plain-json.ts';
import type { CountRefusal } from '../../../platform/kernel/refusal.ts';
import type { Bus } from '../../../platform/redis/bus.ts';
import { callContextOf } from '../../json-rpc/call-context.ts';
import {
  isId,
  isRequest,
  type RpcId,
  type RpcMessage,
  type RpcRequest,
} from '../../json-rpc/json-rpc.ts';
import {
  ACCEPTED,
  type McpDialect,
  type Methods,
  type Protocol,
  respondTo,
} from '../../json-rpc/methods.ts';
import { holds } from '../../json-rpc/splice.ts';
import type { RequestFacts } from '../../route.ts';
import { createRefuse, encodeError, frameMessage } from '../shared/encode.ts';
import { progressOf, reportProgress, withProgress } from '../shared/progress.ts';
import { clientNameOf, decodeLegacyMessage } from './methods.ts';
import { openRemoteSessions, type RemoteSessionsDeps } from './remote-sessions.ts';
import { Session } from './session.ts';

/** A JSON-RPC request with the POST that carried it. */
interface PostedRequest {
  readonly message: RpcRequest;
  readonly request: RequestFacts;
  readonly caller: Caller;
}

export interface HttpSseDeps extends Pick<RemoteSessionsDeps, 'openMemory'> {
  readonly hub: Pick<StreamHub, 'find'>;
  readonly methods: Methods;
  readonly refused: CountRefusal;
  /** Connects the replicas. */
  readonly bus?: Bus | undefined;
}

/**
 * HTTP+SSE of 2024-11-05: clients post messages to the address that the stream announced, and receive the responses on
 * the stream, whichever replica holds it. `close` resolves when every response in progress has been sent; new requests are
 * refused meanwhile.
 */
export function createHttpSse({
  hub,
  methods,
  refused,
  bus,
  openMemory,
}: HttpSseDeps): McpDialect & Closeable {
  const protocol: Protocol = { refused, methods, encodeError };
  const refuse = createRefuse(refused);
  const sessionOf = memoizeEach((stream: ClientStream) =>
    Object.assign(new Session(stream), { stream }),
  );
  const ownSession = (clientId: string) => {
    const stream = hub.find(clientId);
    return stream && sessionOf(stream);
  };
  const remote = bus && openRemoteSessions({ bus, ownSession, openMemory });
  const inProgress = new Set<Promise<void>>();
  let closing = false;

  /** The session of a client id. Throws or rejects with `not_found`, also for a stream that another key opened. */
  function findSession(clientId: string, apiKeyId: string): Awaitable<Session> {
    const own = ownSession(clientId);
    if (own?.stream.apiKeyId === apiKeyId) return own;
    if (own || !remote) throw noSession();
    return remote.find(clientId, apiKeyId).then((session) => {
      if (!session) throw noSession();
      return session;
    });
  }

  function start(posted: PostedRequest, session: Session): void {
    const { id, method, params } = posted.message;
    const cancellation = session.begin(id, closing);
    if (method === 'initialize') {
      session.clientName = clientNameOf(params);
      remote?.shareName(session);
    }
    const done = replyTo(protocol, posted, session, cancellation).finally(() => {
      session.end(id);
      inProgress.delete(done);
    });
    inProgress.add(done);
  }

  function accept(session: Session, request: RequestFacts, caller: Caller, body: unknown) {
    try {
      const message = decodeLegacyMessage(body);
      if (message === null) return ACCEPTED;
      const cancelled = cancelledBy(message);
      if (isRequest(message)) start({ message, request, caller }, session);
      else if (cancelled !== undefined) {
        session.cancel(cancelled);
        remote?.cancelElsewhere(String(request.query['sessionId']), cancelled);
      }
      return ACCEPTED;
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'overloaded') throw error;
      return refuse(error, caller);
    }
  }

  return {
    respond: (request, caller, body) =>
      whenReady(findSession(String(request.query['sessionId']), caller.apiKeyId), (session) =>
        accept(session, request, caller, body),
      ),
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
  // The hold of the POST closes long before the reply has left on the stream.
  let memory: MemoryHold | undefined;
  const replyMemory = (): MemoryHold => {
    memory ??= request.memory().fork();
    return memory;
  };
  const posted = callContextOf(request, caller, 'http-sse', clientName);
  const context = { ...posted, memory: replyMemory };
  const { limited, query } = request;
  const progress = progressOf(message);
  const plain = { limited, query, cancellation: () => cancellation };
  const state = progress ? withProgress(plain, progress) : plain;
  const work = respondTo(protocol, message, context, state);
  if (progress && work instanceof Promise) {
    void reportProgress(work, progress, (notification) => {
      stream.send(encodeSseEvent('message', notification.toString()));
    });
  }
  const response = await work;
  const reply = holds(replyMemory, response) ? response : encodeError(message.id, overBudget());
  if (!cancellation.isCancelled) await stream.reply(frameMessage(reply));
  memory?.close();
}

/** The id of the request that a notification cancels. */
function cancelledBy({ method, params }: RpcMessage): RpcId | undefined {
  if (method !== 'notifications/cancelled' || !isObject(params)) return undefined;
  const id = params['requestId'];
  return isId(id) ? id : undefined;
}

const noSession = (): GatewayError =>
  new GatewayError('not_found', 'This session has no open stream. Open GET /mcp/sse again.');
