import type { Awaitable } from '../platform/kernel/awaitable.ts';
import type { ByteSource } from '../platform/kernel/byte-budget.ts';
import type { Cancellation } from '../platform/kernel/cancellation.ts';
import type { ResponseHeaders } from '../platform/kernel/http-names.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import type { Deadline } from '../platform/kernel/time.ts';
import type { ParameterLocation, Tool, UpstreamRequest } from './model.ts';

/**
 * How the calls of a tool reach its upstream. A call keeps the connection that it found with the tool: a deletion or a new
 * credential does not change a call that is under way.
 */
export interface ToolConnection {
  /** On whose behalf responses are fetched and cached: no other identity gets them. */
  readonly cacheIdentity: string;
  /** The secrets that the tool's parameters name. */
  readonly secrets: (name: string) => Secret | undefined;
  /** Whose key it is that is sent as this secret, for quotas and readiness; undefined where neither is kept. */
  readonly keyInUse?: (name: string) => KeyInUse | undefined;
  readonly sender: RequestSender;
  /** Why no request can be sent: there is no key that may be. */
  readonly refusal?: string;
  /** The connection of a call that begins now, where its key may change while the tool stays. */
  readonly current?: () => ToolConnection;
}

/** Chooses how a tenant's calls of a preset reach its upstream: with the keys that it has stored, or with the operator's. */
export type ConnectionFor = (tenantId: string, tool: Tool) => ToolConnection;

/** The key of a provider with which requests are sent (docs/decisions/0026-provider-keys.md). */
export interface KeyInUse {
  /** The name that presets give in `x-secret`. */
  readonly name: string;
  /** The tenant that has stored it; null for the operator's. */
  readonly tenantId: string | null;
  /** The same for two copies of one key of the operator, or of one tenant. The key cannot be found from it. */
  readonly fingerprint: string;
}

/** Sends the requests of calls. Rejects with GatewayErrors only. */
export interface RequestSender {
  /** Whether it adds a credential to requests, besides the secrets that the tool's parameters name. */
  readonly addsCredential?: boolean;
  send(request: UpstreamRequest, options: SendOptions): Promise<RawResponse>;
}

export interface SendOptions {
  readonly deadline: Deadline;
  /** The tenant whose share of the origin's slots the call uses. */
  readonly tenantId: string;
  /** Triggered when the caller disconnects or cancels. */
  readonly cancellation?: Cancellation | undefined;
  /** Whether this request may be sent twice: true for GET and HEAD, and for a POST that only queries. */
  readonly idempotent: boolean;
  /** Charged once the response is no longer small. */
  readonly memory: ByteSource;
  /** Largest response, compressed and decompressed, if it differs from the client's limit. */
  readonly maxBytes?: number;
  /** Asked before each request leaves, retries and redirects included. */
  readonly quota?: RequestQuota | undefined;
  /** Called once the request has ended, well or badly; not if nothing was sent. */
  readonly onSent?: ((sent: SentRequest) => void) | undefined;
}

/** Counts the requests of a call against the quota of its provider. */
export interface RequestQuota {
  /** Throws or rejects with `quota_exhausted`, or with `overloaded` while requests cannot be counted. */
  reserve(): Awaitable<void>;
  /** Returns what was reserved for a request that never left. */
  release(): void;
}

/** What became of a request that was sent. */
export interface SentRequest {
  /** Of the response, even if it could not be read; null without one. */
  readonly status: number | null;
  /** From the first byte sent to the end, retries included, in milliseconds. */
  readonly upstreamMs: number;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export const isRedirectStatus = (status: number): boolean => REDIRECTS.has(status);

/** A complete response of an upstream, of any status, decompressed. */
export interface RawResponse {
  readonly status: number;
  /** `content-type` as sent, or an empty string. */
  readonly contentType: string;
  /** Absent where nothing was sent over HTTP. */
  readonly headers?: ResponseHeaders;
  readonly body: Buffer;
  /** From the first byte sent to the last byte read, retries included, in milliseconds. */
  readonly upstreamMs: number;
  /** How long a refused client should wait, as the upstream says (`Retry-After`), at most a day. */
  readonly retryAfterSeconds?: number;
  /** What the sender added to the request and the response must not repeat, besides the secrets of the request. */
  readonly hidden?: HiddenSecrets;
}

/** What `/health/detailed` reports about one origin. */
export interface UpstreamState {
  readonly origin: string;
  readonly circuit: 'closed' | 'open' | 'half_open';
  readonly inFlight: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** A secret that a response must not repeat, and how its tool sends it. Plain data, because worker threads receive it too. */
export interface HiddenSecret {
  readonly value: string;
  readonly name: string;
  readonly in: ParameterLocation;
  /** Sent before the value, as in `Bearer `; the value after `Basic ` is sent in base64 (RFC 7617). */
  readonly prefix: string;
}

export type HiddenSecrets = readonly HiddenSecret[];
