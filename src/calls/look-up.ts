import { cacheKey } from '../cache/cache-key.ts';
import type { CacheResult, FetchedResponse, ResponseCache } from '../cache/response-cache.ts';
import type { Awaitable } from '../platform/kernel/awaitable.ts';
import { type ByteBudget, overBudget, SMALL_BYTES } from '../platform/kernel/byte-budget.ts';
import { Deadline } from '../platform/kernel/deadline.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import type { SendOptions, UpstreamClient } from '../upstreams/client/upstream-client.ts';
import type { NormalisePayload } from '../upstreams/payload/normalise-payload.ts';
import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import { hiddenSecrets } from './hidden-secrets.ts';
import type { PreparedCall } from './prepare-call.ts';
import type { CallContext, ToolCall } from './tool-call.ts';

export interface LookUpDeps {
  readonly cache: ResponseCache;
  readonly upstreams: UpstreamClient;
  readonly normalise: NormalisePayload;
  readonly budget: ByteBudget;
  readonly secrets: (name: string) => Secret | undefined;
  /** Deadline of a whole call, in milliseconds. */
  readonly timeoutMs: number;
}

/** Gets the response to one form of a call; its deadline is that of the whole call. At hand if it is in the cache. */
export type LookUp = (prepared: PreparedCall) => Awaitable<CacheResult>;

/** Begins to look up the responses of a call. Rejects with upstream errors, `overloaded` and `cancelled`. */
export function lookUp(deps: LookUpDeps, call: ToolCall, { caller }: CallContext): LookUp {
  // Begun here and not with the upstream request: whoever takes over from a failed leader does not start anew.
  const deadline = Deadline.in(deps.timeoutMs);
  const { tenantId } = caller;
  return (prepared) => {
    const { tool } = prepared;
    return deps.cache.lookup({
      key: cacheKey(tool.version, prepared.arguments, tool.secrets.length > 0 ? 'operator' : ''),
      ttlSeconds: tool.cacheTtlSeconds,
      fetch: (departure) => fetchResponse(deps, prepared, { tenantId, deadline, departure }),
      departure: call.departure,
    });
  };
}

type Asker = Pick<SendOptions, 'tenantId' | 'deadline' | 'departure'>;

/** Asks the upstream, and normalises what it sends. The tenant's share of the memory budget pays until that is handed on. */
async function fetchResponse(
  deps: LookUpDeps,
  { tool, ready, arguments: args }: PreparedCall,
  asker: Asker,
): Promise<FetchedResponse> {
  const request = ready.encode(args, deps.secrets);
  // Those that are sent; the operator may have changed them before the response comes.
  const hidden = hiddenSecrets(tool, deps.secrets);
  const memory = deps.budget.open(asker.tenantId);
  try {
    const options = { ...asker, idempotent: ready.idempotent, memory };
    const { status, contentType, body, upstreamMs } = await deps.upstreams.send(request, options);
    // Its JSON may be a copy, and the body stays until that is made.
    if (body.length > SMALL_BYTES && !memory.take(body.length)) throw overBudget();
    const payload = await deps.normalise({
      status,
      contentType,
      body,
      shape: tool.payload,
      isPublicData: tool.isPublicData,
      deadline: asker.deadline,
      hidden,
    });
    const response = { ...payload, status, url: request.redactedUrl };
    return {
      response,
      upstreamMs,
      cacheable: payload.ok && status >= 200 && status < 300,
      preferStale: isPassing(response),
    };
  } finally {
    memory.close();
  }
}

/** The upstream's own, passing faults: result codes 01 application, 02 database, 04 HTTP, 05 time-out. */
const PASSING_FAULTS = new Set(['01', '02', '04', '05']);

const isPassing = ({ status, ok, publicData }: UpstreamResponse): boolean =>
  status >= 500 || status === 429 || (!ok && PASSING_FAULTS.has(publicData?.code ?? ''));
