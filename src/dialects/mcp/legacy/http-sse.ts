import type { Caller } from '../../../access/keys/caller.ts';
import type { ClientStream } from '../../../events/client-stream.ts';
import type { StreamHub } from '../../../events/stream-hub.ts';
import { type Lease, overBudget } from '../../../platform/kernel/byte-budget.ts';
import type { Closeable } from '../../../platform/kernel/closeable.ts';
import { Departure } from '../../../platform/kernel/departure.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { progressTokenOf, tellProgress } from '../../json-rpc/answer-with-progress.ts';
import { callContextOf } from '../../json-rpc/call-context.ts';
import { frameMessage } from '../../json-rpc/frame-message.ts';
import { isId, isObject, type RpcId } from '../../json-rpc/json-rpc.ts';
import type { McpDialect } from '../../json-rpc/mcp-dialect.ts';
import { holds } from '../../json-rpc/splice.ts';
import type { RequestFacts, RouteResponse } from '../../route.ts';
import type { AnswerLegacyRequest, LegacyRequest } from './answer-request.ts';
import { decodeMessage } from './decode-message.ts';
import { encodeError } from './encode-message.ts';
import { clientNameOf } from './initialize.ts';

/** Requests of one stream that may be under way, or answered and not yet read. */
const MAX_IN_FLIGHT = 64;

const ACCEPTED: RouteResponse = { status: 202, body: null };

/** What a client stream has beyond its connection. */
interface Session {
  readonly stream: ClientStream;
  /** By the JSON text of their ids. */
  readonly inFlight: Map<string, Departure>;
  clientName: string | undefined;
}

export interface HttpSseDeps {
  readonly hub: Pick<StreamHub, 'find'>;
  readonly answerRequest: AnswerLegacyRequest;
}

/**
 * HTTP+SSE of 2024-11-05: messages are posted to the address that the stream named, and answered on the stream. `close`
 * resolves when every answer under way has left; nothing new is taken meanwhile.
 */
export function createHttpSse({ hub, answerRequest }: HttpSseDeps): McpDialect & Closeable {
  const sessions = new WeakMap<ClientStream, Session>();
  const underWay = new Set<Promise<void>>();
  let closing = false;

  /** Another key's stream is as good as none. */
  function sessionOf({ query }: RequestFacts, { apiKeyId }: Caller): Session {
    const stream = hub.find(String(query['sessionId']));
    if (stream?.apiKeyId !== apiKeyId) {
      throw new GatewayError(
        'not_found',
        'This session has no open stream; open GET /mcp/sse again.',
      );
    }
    const session = sessions.get(stream) ?? openSession(stream);
    sessions.set(stream, session);
    return session;
  }

  function start(
    message: LegacyRequest,
    session: Session,
    request: RequestFacts,
    caller: Caller,
  ): void {
    const { inFlight } = session;
    const key = keyOf(message.id);
    if (inFlight.has(key)) {
      throw new GatewayError('invalid_request', 'A request with this id is still under way.');
    }
    if (closing || inFlight.size >= MAX_IN_FLIGHT) {
      throw new GatewayError('overloaded', 'Too many requests of this session are under way.');
    }
    if (message.method === 'initialize') session.clientName = clientNameOf(message.params);
    const departure = new Departure();
    inFlight.set(key, departure);
    const done = run(message, session, request, caller, departure).finally(() => {
      inFlight.delete(key);
      underWay.delete(done);
    });
    underWay.add(done);
  }

  /** Never rejects. A cancelled request gets no answer. */
  async function run(
    message: LegacyRequest,
    { stream, clientName }: Session,
    request: RequestFacts,
    caller: Caller,
    departure: Departure,
  ): Promise<void> {
    // The POST is answered long before its reply has left on the stream.
    let lease: Lease | undefined;
    const replyLease = (): Lease => {
      lease ??= request.lease().fork();
      return lease;
    };
    const context = callContextOf(request, caller, 'http-sse', clientName);
    const work = answerRequest(message, {
      context: { ...context, lease: replyLease },
      announcesChanges: true,
      departure: () => departure,
      limited: request.limited,
    });
    const token = progressTokenOf(message.params);
    if (token !== undefined) {
      void tellProgress(work, token, (notification) => {
        stream.send({ name: 'message', data: notification.toString() });
      });
    }
    const answer = await work;
    const reply = holds(replyLease, answer) ? answer : encodeError(message.id, overBudget());
    if (!departure.hasLeft) await stream.reply(frameMessage(reply));
    lease?.close();
  }

  return {
    answer: (request, caller, body) => {
      const session = sessionOf(request, caller);
      try {
        const message = decodeMessage(body);
        if (message.kind === 'request') start(message, session, request, caller);
        else if (message.kind === 'notification') cancelNamed(message, session);
        return ACCEPTED;
      } catch (error) {
        if (error instanceof GatewayError && error.code === 'overloaded') throw error;
        return refuse(error);
      }
    },
    refuse,
    close: async () => {
      closing = true;
      await Promise.all(underWay);
    },
  };
}

function openSession(stream: ClientStream): Session {
  const session: Session = { stream, inFlight: new Map(), clientName: undefined };
  // Nobody is left to read the answers.
  stream.closed.addEventListener('abort', () => {
    for (const departure of session.inFlight.values()) departure.leave();
  });
  return session;
}

function cancelNamed(
  { method, params }: { readonly method: string; readonly params: unknown },
  { inFlight }: Session,
): void {
  if (method !== 'notifications/cancelled' || !isObject(params)) return;
  const id = params['requestId'];
  if (isId(id)) inFlight.get(keyOf(id))?.leave();
}

const keyOf = (id: RpcId): string => JSON.stringify(id);

const refuse = (error: unknown): RouteResponse => ({ status: 400, body: encodeError(null, error) });
