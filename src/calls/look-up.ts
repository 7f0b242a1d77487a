import { cacheKey } from '../cache/cache-key.ts';
import type { LastGoodTerms } from '../cache/last-good.ts';
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
import { GatewayError } from '../platform/kernel/error.ts';
import { isoTime } from '../platform/kernel/iso-time.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import type { ConnectionFor, SendOptions, ToolConnection } from '../tools/tool-connection.ts';
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
import type { CountedRequests } from './quotas/quota-ledger.ts';
import type { Quotas } from './quotas/quotas.ts';

export interface LookUpDeps {
  readonly cache: ResponseCache;
  readonly normalise: NormalisePayload;
  readonly budget: ByteBudget;
  /** How presets reach their upstreams. An entry of a registered tool has a connection of its own. */
  readonly connectionFor: ConnectionFor;
  readonly clock: Clock;
  /** Time for a whole call, in milliseconds. */
  readonly timeoutMs: number;
  readonly incompleteUntil: IncompleteUntil;
  /** Counts the requests of presets; undefined where nothing is counted. */
  readonly quotas?: Quotas | undefined;
  /** Learns what the responses of upstreams say about the keys that were sent. */
  readonly observeKey?: ObserveKey;
  /** Whether a refusal must be seen: an older response would hide that no dataset accepts the key. */
  readonly isWrongKey?: (use: KeyUse, response: UpstreamResponse) => boolean;
}

/** The tool that was called, and how. */
export interface KeyUse {
  readonly entry: Pick<CatalogEntry, 'tool' | 'server'>;
  readonly connection: Pick<ToolConnection, 'keyInUse'>;
}

/** Learns from every response of an upstream. Returns it with what is known of the key beyond the response. */
export type ObserveKey = (use: KeyUse, response: UpstreamResponse) => UpstreamResponse;

/**
 * Looks up the response to a call, or to the same call for an earlier publication. Synchronous for a cache hit. Rejects
 * with upstream errors, `overloaded` and `cancelled`.
 */
export const lookUp = (
  deps: LookUpDeps,
  record: LookedUpCall,
  prepared: PreparedCall,
): Awaitable<CacheResult> => deps.cache.lookup(new CallLookup(deps, record, prepared));

type LookedUpCall = Pick<
  CallRecord,
  'entry' | 'call' | 'context' | 'startedMs' | 'sent' | 'connection'
>;

/** One object for each call: closures would cost every hit, which needs none of them. */
class CallLookup implements CacheLookup {
  readonly key: string;
  readonly ttlSeconds: number;
  readonly #deps: LookUpDeps;
  readonly #record: LookedUpCall;
  readonly #prepared: PreparedCall;
  /** Null if nothing is counted. */
  #counted: CountedRequests | null | undefined;

  constructor(deps: LookUpDeps, record: LookedUpCall, prepared: PreparedCall) {
    const { tool } = prepared;
    // Chosen once: the response must be cached under the key that fetches it.
    record.connection ??= connectionOf(deps, record);
    const identity = identityOf(record.entry, record.connection);
    this.key = cacheKey(tool.version, prepared.arguments, identity);
    this.ttlSeconds = tool.cacheTtlSeconds;
    this.#deps = deps;
    this.#record = record;
    this.#prepared = prepared;
  }

  /** Of presets. Responses to registered tools are kept as the settings say. */
  get lastGood(): LastGoodTerms | undefined {
    const { entry, connection, context } = this.#record;
    if (entry.source !== 'preset') return undefined;
    const prepared = this.#prepared;
    const identity = connection ? identityOf(entry, connection) : '';
    return {
      // The latest publication is another one every hour, but the same question.
      question: prepared.followsTime
        ? `latest ${cacheKey(prepared.tool.version, prepared.ownArguments, identity)}`
        : this.key,
      askedMs: prepared.askedMs,
      tenantId: identity.startsWith(OWN_KEY) ? context.caller.tenantId : null,
      seconds: prepared.tool.lastGoodSeconds,
    };
  }

  get followsTime(): boolean {
    return this.#prepared.followsTime && this.#record.entry.source === 'preset';
  }

  get isScarce(): boolean {
    return this.#quota?.isLow ?? false;
  }

  get cancellation(): (() => Cancellation) | undefined {
    return this.#record.call.cancellation;
  }

  get #quota(): CountedRequests | undefined {
    if (this.#counted === undefined)
      this.#counted = quotaOf(this.#deps, this.#record, this.#connection) ?? null;
    return this.#counted ?? undefined;
  }

  get #connection(): ToolConnection {
    return this.#record.connection ?? connectionOf(this.#deps, this.#record);
  }

  /** From the start of the call: one that takes over from a failed leader gets no extra time. */
  get deadline(): Deadline {
    return Deadline.at(this.#record.startedMs + this.#deps.timeoutMs);
  }

  fetch(cancellation: Cancellation | undefined): Promise<FetchedResponse> {
    const record = this.#record;
    const deps = this.#deps;
    const { tenantId } = record.context.caller;
    return fetchResponse(deps, this.#prepared, this.#connection, {
      tenantId,
      quota: this.#quota,
      entry: record.entry,
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

const connectionOf = (
  { connectionFor }: LookUpDeps,
  { entry, context }: LookedUpCall,
): ToolConnection => {
  const { connection } = entry;
  if (connection === undefined) return connectionFor(context.caller.tenantId, entry.tool);
  return connection.current?.() ?? connection;
};

/** How the identity of a connection with a tenant's own key begins. */
const OWN_KEY = 'own:';

/** All callers of a preset without secrets get the same response. */
const identityOf = (entry: CatalogEntry, { cacheIdentity }: ToolConnection): string =>
  entry.connection === undefined && entry.tool.secrets.length === 0 ? '' : cacheIdentity;

/** How the requests of a call are counted: those of presets, and of APIs that send a provider key of their tenant. */
function quotaOf(
  deps: LookUpDeps,
  { entry, context }: LookedUpCall,
  connection: ToolConnection,
): CountedRequests | undefined {
  const isCounted = entry.source === 'preset' || connection.keyInUse !== undefined;
  if (deps.quotas === undefined || !isCounted) return undefined;
  const { tool, server } = entry;
  const { tenantId } = context.caller;
  const counted = { tool, serverId: server.id, tenantId };
  return deps.quotas.requestsOf(counted, connection);
}

interface FetchOptions extends SendOptions {
  readonly quota: CountedRequests | undefined;
  /** Charged for the response until it is handed over. */
  readonly memory: Lease;
  readonly entry: CatalogEntry;
}

/** Sends the request and normalises the response. */
async function fetchResponse(
  deps: LookUpDeps,
  prepared: PreparedCall,
  connection: ToolConnection,
  options: FetchOptions,
): Promise<FetchedResponse> {
  const { tool, ready, arguments: args } = prepared;
  const { memory, quota, entry } = options;
  try {
    if (connection.refusal !== undefined)
      throw new GatewayError('missing_secret', connection.refusal);
    const request = ready.encode(args, connection.secrets);
    // The secrets that are sent now: the operator may change them before the response arrives.
    const hidden = hiddenSecrets(tool, connection.secrets);
    const sent = await connection.sender.send(request, options);
    const { status, contentType, body, upstreamMs } = sent;
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
      hidden: hidden && sent.hidden ? [...hidden, ...sent.hidden] : (hidden ?? sent.hidden),
    });
    // Waiting for a value that is there would create a promise.
    const payload: NormalisedPayload =
      normalised instanceof Promise ? await normalised : normalised;
    const fetchedAtMs = deps.clock.now();
    const fetchedAt = isoTime(fetchedAtMs);
    const ok = payload.ok && !(tool.answersContent && readOwnContent(payload.json)?.isError);
    const received = { ...payload, ok, status, url: request.redactedUrl, fetchedAtMs, fetchedAt };
    if (ok) quota?.accept();
    else if (payload.cause === 'quota') quota?.refuse();
    const use = { entry, connection };
    const response = deps.observeKey?.(use, received) ?? received;
    return {
      response,
      upstreamMs,
      cacheable: ok && status >= 200 && status < 300,
      ttlSeconds: lifetimeOf(prepared, response, deps.incompleteUntil),
      preferStale:
        isTransientFailure(response) ||
        (isKeyRefused(response) && !(deps.isWrongKey?.(use, response) ?? true)),
    };
  } finally {
    memory.close();
  }
}

/** A failure that passes: of the upstream itself, or because its quota is used up. */
const isTransientFailure = ({ status, isTransient, cause }: UpstreamResponse): boolean =>
  status >= 500 || status === 429 || isTransient === true || cause === 'quota' || cause === 'rate';

const isKeyRefused = ({ cause }: UpstreamResponse): boolean =>
  cause === 'operator_key' || cause === 'not_approved';

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
