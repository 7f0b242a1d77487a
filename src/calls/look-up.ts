import type { Awaitable } from '../platform/kernel/awaitable.ts';
import {
  type ByteBudget,
  type MemoryHold,
  overBudget,
  SMALL_BYTES,
} from '../platform/kernel/byte-budget.ts';
import type { Cancellation } from '../platform/kernel/cancellation.ts';
import { GatewayError, toGatewayError } from '../platform/kernel/error.ts';
import { headerText, type ResponseHeaders } from '../platform/kernel/http-names.ts';
import { type Clock, Deadline, isoTime } from '../platform/kernel/time.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import type { RowPlace, UpstreamRequest } from '../tools/model.ts';
import {
  type ConnectionFor,
  type HiddenSecrets,
  isRedirectStatus,
  type RawResponse,
  type SendOptions,
  type ToolConnection,
} from '../tools/tool-connection.ts';
import { allowedSeconds, cacheKey } from '../upstreams/cache/cache-key.ts';
import type { LastGoodTerms } from '../upstreams/cache/last-good.ts';
import type {
  CacheLookup,
  CacheResult,
  FetchedResponse,
  ResponseCache,
} from '../upstreams/cache/response-cache.ts';
import {
  linksOf,
  type NormalisedPayload,
  type NormalisePayload,
  rowsOfHeaders,
  type UpstreamResponse,
} from '../upstreams/payload/upstream-response.ts';
import { redactorFor } from '../upstreams/redaction/redact-secrets.ts';
import type { CallRecord } from './call-record.ts';
import { readOwnContent } from './encode-result.ts';
import { hiddenSecrets } from './hidden-secrets.ts';
import { isEmpty } from './judge-response.ts';
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
  /** Learns where a good response of a registered tool had its rows. Must not throw. */
  readonly observeRows?: ObserveRows;
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

/** Learns where the rows of a tool were, of the tenant that called it. */
export type ObserveRows = (entry: CatalogEntry, tenantId: string, place: RowPlace) => void;

/**
 * Looks up the response to a call, or to the same call for an earlier publication. Synchronous for a cache hit. Rejects
 * with upstream errors, `overloaded` and `cancelled`.
 */
export const lookUp = (
  deps: LookUpDeps,
  record: LookedUpCall,
  prepared: PreparedCall,
): Awaitable<CacheResult> => {
  const find = () => deps.cache.lookup(new CallLookup(deps, record, prepared));
  const loading = loadGeneration(deps, record);
  return loading === undefined ? find() : loading.then(find);
};

/** Only tools that their tenants registered have writes that make responses obsolete. */
function loadGeneration(deps: LookUpDeps, record: LookedUpCall): Promise<void> | undefined {
  if (record.entry.source !== 'registered') return undefined;
  record.connection ??= connectionOf(deps, record);
  return deps.cache.generations.load(record.connection.cacheIdentity);
}

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
    const generation =
      record.entry.source === 'registered' ? deps.cache.generations.of(identity) : '';
    this.key = cacheKey(tool.version, prepared.arguments, identity + generation);
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
      tenantId: identity.startsWith(TENANT_IDENTITY) ? context.caller.tenantId : null,
      askedBy: context.caller.tenantId,
      seconds: prepared.tool.lastGoodSeconds,
    };
  }

  get tenantId(): string {
    return this.#record.context.caller.tenantId;
  }

  get followsTime(): boolean {
    return this.#prepared.followsTime && this.#record.entry.source === 'preset';
  }

  get refreshes(): boolean | undefined {
    return this.#record.call.refreshes;
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

  fetch(cancellation: Cancellation | undefined): Promise<FetchedResponse> {
    const record = this.#record;
    const deps = this.#deps;
    const { tenantId } = record.context.caller;
    return fetchResponse(deps, this.#prepared, this.#connection, {
      tenantId,
      quota: this.#quota,
      entry: record.entry,
      // From the start of the call: one that takes over from a failed leader gets no extra time.
      deadline: Deadline.at(record.startedMs + deps.timeoutMs),
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

/** How the identity of a connection with a tenant's key begins. */
export const TENANT_IDENTITY = 'tenant:';

/** All callers of a preset without secrets get the same response. */
const identityOf = (entry: CatalogEntry, { cacheIdentity }: ToolConnection): string =>
  entry.connection === undefined && entry.tool.secrets.length === 0 ? '' : cacheIdentity;

const isCounted = ({ tool, source }: CatalogEntry, connection: ToolConnection): boolean =>
  source === 'preset' || tool.secrets.some((name) => connection.keyInUse?.(name));

/**
 * How the requests of a call are counted: requests of presets, and of APIs that send a provider key of their tenant. What a
 * tenant's description says of its quota concerns nothing that tenants share, such as the gateway's address.
 */
function quotaOf(
  deps: LookUpDeps,
  { entry, context }: LookedUpCall,
  connection: ToolConnection,
): CountedRequests | undefined {
  const { tool, server } = entry;
  if (deps.quotas === undefined || !isCounted(entry, connection)) return undefined;
  const { tenantId } = context.caller;
  const counted = { tool, serverId: server.id, tenantId };
  return deps.quotas.requestsOf(counted, connection);
}

/** Whether the memory of this process has a fresh response to a call. */
export const isCached = (deps: LookUpDeps, record: LookedUpCall, prepared: PreparedCall): boolean =>
  deps.cache.has(new CallLookup(deps, record, prepared).key);

/** How many requests the provider still takes of a tenant today; null if nothing says it. */
export async function quotaLeft(deps: LookUpDeps, record: LookedUpCall): Promise<number | null> {
  const connection = record.connection ?? connectionOf(deps, record);
  const { entry, context } = record;
  if (!isCounted(entry, connection)) return null;
  const counted = {
    tool: entry.tool,
    serverId: entry.server.id,
    tenantId: context.caller.tenantId,
  };
  return (await deps.quotas?.left(counted, connection)) ?? null;
}

interface FetchOptions extends SendOptions {
  readonly quota: CountedRequests | undefined;
  /** Charged for the response until it is handed over. */
  readonly memory: MemoryHold;
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
    const { status, contentType, headers = {}, body, upstreamMs, retryAfterSeconds } = sent;
    // The JSON may be a copy; the body is held until it is complete.
    if (body.length > SMALL_BYTES && !memory.take(body.length)) throw overBudget();
    const secrets = allHidden(hidden, sent);
    assertNotRedirected(request, sent, secrets);
    const normalised = deps.normalise({
      status,
      contentType,
      body,
      shape: tool.payload,
      isPublicData: tool.isPublicData,
      arguments: tool.payload.filters ? args : undefined,
      deadline: options.deadline,
      isWrite: !ready.idempotent,
      tenantId: options.tenantId,
      hidden: secrets,
    });
    // Waiting for a value that is there would create a promise.
    const payload = withoutKey(
      normalised instanceof Promise ? await normalised : normalised,
      tool.secrets.length > 0 || connection.sender.addsCredential === true,
    );
    const fetchedAtMs = deps.clock.now();
    const fetchedAt = isoTime(fetchedAtMs);
    const ok = payload.ok && !(tool.returnsMcpContent && readOwnContent(payload.json)?.isError);
    const url = request.redactedUrl;
    const received: UpstreamResponse = {
      ...payload,
      ok,
      status,
      url,
      fetchedAtMs,
      fetchedAt,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    };
    if (ok) quota?.accept();
    else if (payload.cause === 'quota') quota?.refuse();
    const use = { entry, connection };
    const isRegistered = entry.source === 'registered';
    const links = isRegistered ? linksOf(headers, url, secrets) : undefined;
    const paged = isRegistered ? withHeaders(received, headers) : received;
    const linked = links ? { ...paged, links } : paged;
    const response = deps.observeKey?.(use, linked) ?? linked;
    const isGood = ok && status >= 200 && status < 300;
    if (isGood && isRegistered && !tool.annotations.readOnlyHint)
      await deps.cache.generations.renew(connection.cacheIdentity);
    if (isGood && payload.found) deps.observeRows?.(entry, options.tenantId, payload.found);
    const lifetime = lifetimeOf(prepared, response, deps.incompleteUntil);
    const allowed = isRegistered ? allowedSeconds(headers) : undefined;
    const ttlSeconds = Math.min(lifetime, allowed ?? lifetime);
    const preferStale = isStalePreferred(deps, use, response);
    return { response, upstreamMs, cacheable: isGood && ttlSeconds > 0, ttlSeconds, preferStale };
  } catch (thrown) {
    const error = toGatewayError(thrown);
    throw ready.idempotent || error.code !== 'upstream_bad_payload' ? thrown : carriedOut(error);
  } finally {
    memory.close();
  }
}

/** What the headers of a registered API say of its rows; the total of the payload goes first. */
function withHeaders(received: UpstreamResponse, headers: ResponseHeaders): UpstreamResponse {
  if (received.rows === undefined) return received;
  const { total, pages } = rowsOfHeaders(headers);
  const isTotal = received.total === undefined && total !== undefined && total >= received.rows;
  const saysNothing = !isTotal && pages.isLast === undefined && pages.cursor === undefined;
  // Most headers say nothing: the response needs no copy.
  if (saysNothing) return received;
  return {
    ...received,
    ...(isTotal && { total }),
    pages: { ...received.pages, ...pages },
  };
}

/** Whether an older response is worth more: the upstream may recover, or refuses a key that is not known to be wrong. */
const isStalePreferred = (deps: LookUpDeps, use: KeyUse, response: UpstreamResponse): boolean =>
  isTransientFailure(response) ||
  (isKeyRefused(response) && !(deps.isWrongKey?.(use, response) ?? true));

/** The secrets of the tool, and those that the client added, such as an access token. */
const allHidden = (hidden: HiddenSecrets | undefined, sent: RawResponse) =>
  hidden && sent.hidden ? [...hidden, ...sent.hidden] : (hidden ?? sent.hidden);

/** A provider that is shown no key refuses none: it refuses the request, and may take it later. */
const withoutKey = (payload: NormalisedPayload, showsKey: boolean): NormalisedPayload =>
  showsKey || payload.cause !== 'operator_key'
    ? payload
    : { ...payload, cause: 'upstream', isTransient: true };

/** A response to a request that changed something cannot be had by another one. */
const carriedOut = (error: GatewayError): GatewayError =>
  new GatewayError(error.code, `${error.message} ${CARRIED_OUT}`, {
    details: { ...error.details, retryable: false },
    cause: error.cause,
  });

const CARRIED_OUT =
  'The request has been sent and may have been carried out: check before you send it again.';

/**
 * A redirect of a write that the client did not follow is no success: most upstreams have done nothing. Throws
 * `upstream_blocked`, which says where it leads.
 */
function assertNotRedirected(
  { method, origin, path }: UpstreamRequest,
  { status, headers = {} }: RawResponse,
  hidden: HiddenSecrets | undefined,
): void {
  if (!isRedirectStatus(status) || method === 'GET' || method === 'HEAD') return;
  const location = headerText(headers, 'location');
  const target = location === '' ? null : URL.parse(location, origin + path);
  const place = target ? `${target.origin}${target.pathname}` : 'an address that it does not name';
  const shown = redactorFor(hidden).text(Buffer.from(place));
  throw new GatewayError(
    'upstream_blocked',
    `The upstream redirected this ${method} (HTTP ${status}) to ${shown}. The gateway did not follow it, so nothing was done there. Register the API with the address that accepts the request.`,
  );
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
