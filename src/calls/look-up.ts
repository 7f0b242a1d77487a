import { cacheKey } from '../cache/cache-key.ts';
import type { CacheResult, FetchedResponse, ResponseCache } from '../cache/response-cache.ts';
import type { Awaitable } from '../platform/kernel/awaitable.ts';
import { type ByteBudget, overBudget, SMALL_BYTES } from '../platform/kernel/byte-budget.ts';
import type { Clock } from '../platform/kernel/clock.ts';
import { Deadline } from '../platform/kernel/deadline.ts';
import type { Tool } from '../tools/model.ts';
import type { HiddenSecrets, SendOptions, ToolConnection } from '../tools/tool-connection.ts';
import type { NormalisePayload } from '../upstreams/payload/normalise-payload.ts';
import { fetchTimeOf, type UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import type { CallRecord } from './call-record.ts';
import { hiddenSecrets } from './hidden-secrets.ts';
import { type IncompleteUntil, lifetimeOf } from './lifetime.ts';
import type { PreparedCall } from './prepare-call.ts';

export interface LookUpDeps {
  readonly cache: ResponseCache;
  readonly normalise: NormalisePayload;
  readonly budget: ByteBudget;
  /** How presets reach their upstreams. An entry of a registered tool has a connection of its own. */
  readonly connection: ToolConnection;
  readonly clock: Clock;
  /** Time for a whole call, in milliseconds. */
  readonly timeoutMs: number;
  readonly incompleteUntil: IncompleteUntil;
}

/** Looks up the response to a call, or to the same call for an earlier publication. Synchronous for a cache hit. */
export type LookUp = (prepared: PreparedCall) => Awaitable<CacheResult>;

/** Creates the look-up of one call. It rejects with upstream errors, `overloaded` and `cancelled`. */
export function lookUp(
  deps: LookUpDeps,
  record: Pick<CallRecord, 'entry' | 'call' | 'context' | 'sent'>,
): LookUp {
  const { entry, call, context } = record;
  // Starts here and not with the upstream request: a call that takes over from a failed leader gets no extra time.
  const deadline = Deadline.in(deps.timeoutMs);
  const { tenantId } = context.caller;
  const connection = entry.connection ?? deps.connection;
  return (prepared) => {
    const { tool } = prepared;
    return deps.cache.lookup({
      key: cacheKey(tool.version, prepared.arguments, identityOf(tool, connection, deps)),
      ttlSeconds: tool.cacheTtlSeconds,
      fetch: (cancellation) =>
        fetchResponse(deps, prepared, connection, {
          tenantId,
          deadline,
          cancellation,
          onSent: (sent) => {
            record.sent = sent;
          },
        }),
      cancellation: call.cancellation,
    });
  };
}

/** All callers of a preset without secrets get the same response. */
const identityOf = (tool: Tool, connection: ToolConnection, deps: LookUpDeps): string =>
  connection === deps.connection && tool.secrets.length === 0 ? '' : connection.cacheIdentity;

type Requester = Pick<SendOptions, 'tenantId' | 'deadline' | 'cancellation' | 'onSent'>;

/** Sends the request and normalises the response, which is charged to the tenant's memory budget until it is handed over. */
async function fetchResponse(
  deps: LookUpDeps,
  prepared: PreparedCall,
  connection: ToolConnection,
  requester: Requester,
): Promise<FetchedResponse> {
  const { tool, ready, arguments: args } = prepared;
  const request = ready.encode(args, connection.secrets);
  // The secrets that are sent now: the operator may change them before the response arrives.
  const hidden = hiddenSecrets(tool, connection.secrets);
  const memory = deps.budget.open(requester.tenantId);
  try {
    const options = { ...requester, idempotent: ready.idempotent, memory };
    const received = await connection.sender.send(request, options);
    const { status, contentType, body, upstreamMs } = received;
    // The JSON may be a copy; the body is held until it is complete.
    if (body.length > SMALL_BYTES && !memory.take(body.length)) throw overBudget();
    const payload = await deps.normalise({
      status,
      contentType,
      body,
      shape: tool.payload,
      isPublicData: tool.isPublicData,
      ...(tool.payload.filters ? { arguments: args } : {}),
      deadline: requester.deadline,
      hidden: joinHidden(hidden, received.hidden),
    });
    const { fetchedAtMs, fetchedAt } = fetchTimeOf(deps.clock.now());
    const response = { ...payload, status, url: request.redactedUrl, fetchedAtMs, fetchedAt };
    return {
      response,
      upstreamMs,
      cacheable: payload.ok && status >= 200 && status < 300,
      ttlSeconds: lifetimeOf(prepared, response, deps.incompleteUntil),
      preferStale: isTransientFailure(response),
    };
  } finally {
    memory.close();
  }
}

/** The secrets of the request, and those that the client added, such as an access token. */
const joinHidden = (
  sent: HiddenSecrets | undefined,
  added: HiddenSecrets | undefined,
): HiddenSecrets | undefined => (sent && added ? [...sent, ...added] : (sent ?? added));

/** A failure that passes: of the upstream itself, or because its quota is used up. */
const isTransientFailure = ({ status, isTransient, cause }: UpstreamResponse): boolean =>
  status >= 500 || status === 429 || isTransient === true || cause === 'quota' || cause === 'rate';
