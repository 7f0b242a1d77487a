import { cacheKey } from '../cache/cache-key.ts';
import type {
  CacheLookup,
  CacheResult,
  FetchedResponse,
  ResponseCache,
} from '../cache/response-cache.ts';
import type { Awaitable } from '../platform/kernel/awaitable.ts';
import {
  type ByteBudget,
  type Lease,
  overBudget,
  SMALL_BYTES,
} from '../platform/kernel/byte-budget.ts';
import type { Cancellation } from '../platform/kernel/cancellation.ts';
import type { Clock } from '../platform/kernel/clock.ts';
import { Deadline } from '../platform/kernel/deadline.ts';
import { isoTime } from '../platform/kernel/iso-time.ts';
import type { Tool } from '../tools/model.ts';
import type { SendOptions, ToolConnection } from '../tools/tool-connection.ts';
import type {
  NormalisedPayload,
  NormalisePayload,
  UpstreamResponse,
} from '../upstreams/payload/upstream-response.ts';
import type { CallRecord } from './call-record.ts';
import { hiddenSecrets } from './hidden-secrets.ts';
import { isEmpty } from './judge-response.ts';
import { readOwnContent } from './own-content.ts';
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

/**
 * Looks up the response to a call, or to the same call for an earlier publication. Synchronous for a cache hit. Rejects
 * with upstream errors, `overloaded` and `cancelled`.
 */
export const lookUp = (
  deps: LookUpDeps,
  record: LookedUpCall,
  prepared: PreparedCall,
): Awaitable<CacheResult> => deps.cache.lookup(new CallLookup(deps, record, prepared));

type LookedUpCall = Pick<CallRecord, 'entry' | 'call' | 'context' | 'startedMs' | 'sent'>;

/** One object for each call: closures would cost every hit, which needs none of them. */
class CallLookup implements CacheLookup {
  readonly key: string;
  readonly ttlSeconds: number;
  readonly #deps: LookUpDeps;
  readonly #record: LookedUpCall;
  readonly #prepared: PreparedCall;

  constructor(deps: LookUpDeps, record: LookedUpCall, prepared: PreparedCall) {
    const { tool } = prepared;
    const identity = identityOf(tool, connectionOf(deps, record), deps);
    this.key = cacheKey(tool.version, prepared.arguments, identity);
    this.ttlSeconds = tool.cacheTtlSeconds;
    this.#deps = deps;
    this.#record = record;
    this.#prepared = prepared;
  }

  get cancellation(): (() => Cancellation) | undefined {
    return this.#record.call.cancellation;
  }

  /** From the start of the call: one that takes over from a failed leader gets no extra time. */
  get deadline(): Deadline {
    return Deadline.at(this.#record.startedMs + this.#deps.timeoutMs);
  }

  fetch(cancellation: Cancellation | undefined): Promise<FetchedResponse> {
    const record = this.#record;
    const deps = this.#deps;
    const { tenantId } = record.context.caller;
    return fetchResponse(deps, this.#prepared, connectionOf(deps, record), {
      tenantId,
      deadline: this.deadline,
      cancellation,
      idempotent: this.#prepared.ready.idempotent,
      memory: deps.budget.open(tenantId),
      onSent: (sent) => {
        record.sent = sent;
      },
    });
  }
}

const connectionOf = (deps: LookUpDeps, { entry }: LookedUpCall): ToolConnection =>
  entry.connection ?? deps.connection;

/** All callers of a preset without secrets get the same response. */
const identityOf = (tool: Tool, connection: ToolConnection, deps: LookUpDeps): string =>
  connection === deps.connection && tool.secrets.length === 0 ? '' : connection.cacheIdentity;

interface FetchOptions extends SendOptions {
  /** Charged for the response until it is handed over. */
  readonly memory: Lease;
}

/** Sends the request and normalises the response. */
async function fetchResponse(
  deps: LookUpDeps,
  prepared: PreparedCall,
  connection: ToolConnection,
  options: FetchOptions,
): Promise<FetchedResponse> {
  const { tool, ready, arguments: args } = prepared;
  const { memory } = options;
  try {
    const request = ready.encode(args, connection.secrets);
    // The secrets that are sent now: the operator may change them before the response arrives.
    const hidden = hiddenSecrets(tool, connection.secrets);
    const received = await connection.sender.send(request, options);
    const { status, contentType, body, upstreamMs } = received;
    // The JSON may be a copy; the body is held until it is complete.
    if (body.length > SMALL_BYTES && !memory.take(body.length)) throw overBudget();
    const normalised = deps.normalise({
      status,
      contentType,
      body,
      shape: tool.payload,
      isPublicData: tool.isPublicData,
      arguments: tool.payload.filters ? args : undefined,
      deadline: options.deadline,
      // Also those that the client added, such as an access token.
      hidden:
        hidden && received.hidden ? [...hidden, ...received.hidden] : (hidden ?? received.hidden),
    });
    // Waiting for a value that is there would create a promise.
    const payload: NormalisedPayload =
      normalised instanceof Promise ? await normalised : normalised;
    const fetchedAtMs = deps.clock.now();
    const fetchedAt = isoTime(fetchedAtMs);
    const ok = payload.ok && !(tool.answersContent && readOwnContent(payload.json)?.isError);
    const response = { ...payload, ok, status, url: request.redactedUrl, fetchedAtMs, fetchedAt };
    return {
      response,
      upstreamMs,
      cacheable: ok && status >= 200 && status < 300,
      ttlSeconds: lifetimeOf(prepared, response, deps.incompleteUntil),
      preferStale: isTransientFailure(response),
    };
  } finally {
    memory.close();
  }
}

/** A failure that passes: of the upstream itself, or because its quota is used up. */
const isTransientFailure = ({ status, isTransient, cause }: UpstreamResponse): boolean =>
  status >= 500 || status === 429 || isTransient === true || cause === 'quota' || cause === 'rate';

/** How long an empty response of the latest publication is fresh: its data may arrive at any moment. */
export const MAX_EMPTY_LATEST_SECONDS = 60;

/** When more may be published of what a call asks for, in milliseconds since the epoch; undefined if all of it is. */
export type IncompleteUntil = (
  asked: readonly { readonly expression: string; readonly value: unknown }[],
  nowMs: number,
  args: Readonly<Record<string, unknown>>,
) => number | undefined;

/** How long a response is fresh, in seconds: the tool's time to live, or less if more data will be published before. */
export function lifetimeOf(
  { tool, ready, arguments: args, isLatest }: PreparedCall,
  response: UpstreamResponse,
  incompleteUntil: IncompleteUntil,
): number {
  const ttlSeconds = tool.cacheTtlSeconds;
  if (ready.computed.length === 0) return ttlSeconds;
  if (isLatest)
    return isEmpty(response) ? Math.min(ttlSeconds, MAX_EMPTY_LATEST_SECONDS) : ttlSeconds;
  const asked = ready.computed.map(({ expression, property }) => ({
    expression,
    value: args[property],
  }));
  const untilMs = incompleteUntil(asked, response.fetchedAtMs, args);
  if (untilMs === undefined) return ttlSeconds;
  return Math.min(ttlSeconds, Math.max(1, Math.ceil((untilMs - response.fetchedAtMs) / 1000)));
}
