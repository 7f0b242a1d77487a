import type { Caller } from '../../../access/keys/caller.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { answerWithProgress, progressTokenOf } from '../../json-rpc/answer-with-progress.ts';
import { callContextOf } from '../../json-rpc/call-context.ts';
import type { McpDialect, McpResponse } from '../../json-rpc/mcp-dialect.ts';
import { type Encoded, joinArray } from '../../json-rpc/splice.ts';
import type { RequestFacts, RouteResponse } from '../../route.ts';
import { acceptsEvents } from '../shared/detect-dialect.ts';
import type { AnswerLegacyRequest, LegacyExchange, LegacyRequest } from './answer-request.ts';
import { decodeMessage } from './decode-message.ts';
import { encodeError } from './encode-message.ts';
import { clientNameOf, isRevision, UNNAMED_REVISION } from './initialize.ts';

/** Entries of one batch, as in the plain dialect. */
const MAX_BATCH = 50;

/** The one revision whose servers must take batches. */
const BATCH_REVISION = '2025-03-26';

const ACCEPTED: RouteResponse = { status: 202, body: null };

export interface StreamableHttpDeps {
  readonly answerRequest: AnswerLegacyRequest;
  /** Takes the further entries of a batch off the caller's rate limit; throws `rate_limited`. */
  readonly chargeBatch: (apiKeyId: string, entries: number) => void | Promise<void>;
}

/** Streamable HTTP of 2025-03-26 to 2025-11-25, without sessions. */
export function createStreamableHttp(deps: StreamableHttpDeps): McpDialect {
  function exchangeOf(request: RequestFacts, caller: Caller, clientName?: string): LegacyExchange {
    return {
      context: callContextOf(request, caller, 'streamable-http', clientName),
      announcesChanges: false,
      departure: request.departure,
      limited: request.limited,
    };
  }

  function answerRequest(
    message: LegacyRequest,
    request: RequestFacts,
    caller: Caller,
  ): McpResponse | Promise<McpResponse> {
    const name = message.method === 'initialize' ? clientNameOf(message.params) : undefined;
    const work = deps.answerRequest(message, exchangeOf(request, caller, name));
    const token = message.method === 'tools/call' ? progressTokenOf(message.params) : undefined;
    return token !== undefined && acceptsEvents(request.headers)
      ? answerWithProgress(work, token)
      : work.then((body) => ({ status: 200, body }));
  }

  async function answerElement(value: unknown, exchange: LegacyExchange): Promise<Encoded | null> {
    try {
      const message = decodeMessage(value);
      return message.kind === 'request' ? await deps.answerRequest(message, exchange) : null;
    } catch (error) {
      return encodeError(null, error);
    }
  }

  async function answerBatch(
    batch: readonly unknown[],
    request: RequestFacts,
    caller: Caller,
  ): Promise<RouteResponse> {
    if (batch.length === 0 || batch.length > MAX_BATCH) {
      return refuse(new GatewayError('invalid_request', `A batch has 1 to ${MAX_BATCH} entries.`));
    }
    if (!request.limited) await deps.chargeBatch(caller.apiKeyId, batch.length - 1);
    const exchange = exchangeOf(request, caller);
    const answers = await Promise.all(batch.map((value) => answerElement(value, exchange)));
    const present = answers.filter((answer) => answer !== null);
    return present.length === 0 ? ACCEPTED : { status: 200, body: joinArray(present) };
  }

  return {
    answer: (request, caller, body) => {
      const revision = request.headers['mcp-protocol-version'] ?? UNNAMED_REVISION;
      if (typeof revision !== 'string' || !isRevision(revision)) {
        return refuse(unknownRevision(String(revision)));
      }
      if (Array.isArray(body)) {
        return revision === BATCH_REVISION
          ? answerBatch(body, request, caller)
          : refuse(new GatewayError('invalid_request', `MCP ${revision} has no batches.`));
      }
      try {
        const message = decodeMessage(body);
        return message.kind === 'request' ? answerRequest(message, request, caller) : ACCEPTED;
      } catch (error) {
        return refuse(error);
      }
    },
    refuse,
  };
}

const refuse = (error: unknown): RouteResponse => ({ status: 400, body: encodeError(null, error) });

const unknownRevision = (revision: string): GatewayError =>
  new GatewayError(
    'invalid_request',
    `The MCP-Protocol-Version ${JSON.stringify(revision.slice(0, 50))} is unknown; begin with initialize, whose answer names one that both sides speak.`,
  );
