import { onTestFinished, vi } from 'vitest';
import { maskArguments } from '../../src/audit/masking/mask-arguments.ts';
import type { AuditLedger, AuditRecord } from '../../src/audit/record/audit-record.ts';
import { createCallTool, type FinishedCall } from '../../src/calls/call-tool.ts';
import type { IncompleteUntil } from '../../src/calls/look-up.ts';
import type { Provenance } from '../../src/calls/provenance.ts';
import {
  type AnswerKind,
  type CallContext,
  CallFailure,
  type CallOutcome,
  type RowCount,
} from '../../src/calls/tool-call.ts';
import {
  type ByteBudget,
  createByteBudget,
  type MemoryHold,
} from '../../src/platform/kernel/byte-budget.ts';
import type { Caller } from '../../src/platform/kernel/caller.ts';
import type { Cancellation } from '../../src/platform/kernel/cancellation.ts';
import type { Cause } from '../../src/platform/kernel/cause.ts';
import {
  type ArgumentIssue,
  type ErrorDetails,
  GatewayError,
} from '../../src/platform/kernel/error.ts';
import type { CacheStatus } from '../../src/platform/kernel/http-names.ts';
import { Secret } from '../../src/platform/kernel/secret.ts';
import type { Clock } from '../../src/platform/kernel/time.ts';
import { PUBLIC_DATA_PAYLOADS } from '../../src/public-data/payload-domain.ts';
import { createCatalog } from '../../src/tools/catalog/catalog.ts';
import type { PresetServer, UpstreamRequest } from '../../src/tools/model.ts';
import { type ResolveCode, resolveNothing } from '../../src/tools/request/resolve-code.ts';
import type { HiddenSecrets, RawResponse, SendOptions } from '../../src/tools/tool-connection.ts';
import { createResponseCache } from '../../src/upstreams/cache/response-cache.ts';
import { createPayloadReader } from '../../src/upstreams/payload/read-payload.ts';
import type {
  NormalisePayload,
  PublicDataStatus,
} from '../../src/upstreams/payload/upstream-response.ts';
import { compileText } from './compile-text.ts';

/**
 * A whole tool call without anything outside the process: a real catalog, cache, masking and memory budget, with an
 * upstream, a ledger and a clock that the test controls. Outcomes are converted here, and only here, to the shapes
 * that this file declares.
 */
export interface CallPipeline {
  /** Calls a tool; resolves with what its caller receives. */
  call(tool: string, args?: Record<string, unknown>, how?: CallOptions): Promise<Told>;
  /** Sets the upstream's response; the default is `{"ok":true}`. */
  answer(reply: Reply | Respond): void;
  /** The requests that the upstream received. */
  readonly sent: readonly Sent[];
  /** The committed records. */
  readonly records: readonly AuditRecord[];
  /** The finished calls reported to the observers. */
  readonly finished: readonly Finished[];
  /** The tools that were not found, as reported to the observers: `<reason>: <tool> by <key>`. */
  readonly refused: readonly string[];
  /** The steps in their order: `sent`, `appended`, `committed`, `finished`. */
  readonly steps: readonly string[];
  /** How often calls requested their caller's cancellation, and their memory. */
  readonly asked: { cancellations: number; holds: number };
  /** Advances the wall clock and the monotonic clock, which stand still otherwise. */
  pass(ms: number): void;
  setSecret(name: string, value: string): void;
  /** Bytes of the memory budget held by all tenants. */
  usedBytes(): number;
  /** Closes the holds of all calls so far, as when their responses have reached the callers. */
  release(): void;
}

export interface PipelineOptions {
  readonly secrets?: Readonly<Record<string, string>>;
  /** The memory budget; one tenant may hold half of it. */
  readonly memoryBytes?: number;
  /** The deadline of a call. */
  readonly timeoutMs?: number;
  readonly normalise?: NormalisePayload;
  readonly resolveCode?: ResolveCode;
  readonly incompleteUntil?: IncompleteUntil;
  /** In place of the document. */
  readonly presets?: readonly PresetServer[];
  readonly assertWritable?: () => void;
  /** Runs while a record is being committed. */
  readonly commit?: (record: AuditRecord) => void | Promise<void>;
  readonly onFinished?: (finished: FinishedCall) => void;
}

export interface CallOptions {
  readonly caller?: Partial<Caller>;
  readonly clientName?: string | null;
  readonly clientId?: string;
  readonly cancellation?: Cancellation;
}

/** A response of the upstream: JSON, unless the body is a string or bytes. */
export interface Reply {
  readonly body: unknown;
  readonly status?: number;
  readonly contentType?: string;
  /** How long the upstream takes. */
  readonly tookMs?: number;
  /** What the client added to the request. */
  readonly hidden?: HiddenSecrets;
  /** What its header `Retry-After` says. */
  readonly retryAfterSeconds?: number;
}

export type Respond = (request: UpstreamRequest, options: SendOptions) => Reply | Promise<Reply>;

/** What a caller receives for a response. */
export interface Told {
  readonly auditId: string;
  readonly tool: string;
  readonly cacheStatus: CacheStatus;
  readonly upstream: { readonly method: string; readonly url: string; readonly status: number };
  readonly data: unknown;
  readonly bytes: number;
  readonly publicData: PublicDataStatus | undefined;
  readonly rows: number | undefined;
  readonly count: RowCount | undefined;
  readonly isError: boolean;
  readonly kind: AnswerKind;
  readonly cause: Cause | null;
  readonly provenance: Omit<Provenance, 'source'>;
}

/** What a caller receives for a call without a response. */
export interface Failure {
  /** Null when the call was not recorded. */
  readonly auditId: string | null;
  readonly tool: string | null;
  readonly code: string;
  readonly message: string;
  readonly errors: readonly ArgumentIssue[];
  readonly details: ErrorDetails;
}

/** What observers receive for a finished call. */
export interface Finished {
  readonly auditId: string;
  readonly tool: string;
  readonly tenantId: string;
  readonly clientId: string | undefined;
  /** The code of the error; null for a response. */
  readonly code: string | null;
  readonly status: number | null;
  readonly cacheStatus: CacheStatus | null;
  readonly isError: boolean;
  readonly url: string;
  readonly durationMs: number;
}

/** A request as the upstream received it. */
export interface Sent {
  readonly method: string;
  /** Including secrets. */
  readonly url: string;
  readonly body: string | null;
  readonly tenantId: string;
  readonly idempotent: boolean;
  /** Time left until the deadline. */
  readonly remainingMs: number;
  readonly cancellation: Cancellation | undefined;
}

/** The start time of every pipeline: Saturday noon in Seoul. */
export const NOON_MS = Date.parse('2026-11-21T12:00:00+09:00');

const DEFAULT_MEMORY_BYTES = 64 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 10_000;
const CACHE_BYTES = 1024 * 1024;
const STALE_SECONDS = 600;

const HEAD = `openapi: 3.1.0
info: { title: Sky, version: "1" }
servers: [{ url: "https://sky.example" }]
`;

/** Opens the pipeline of the preset `weather/sky`; `document` is its definition from `paths` on. */
export async function openCallPipeline(
  document: string,
  options: PipelineOptions = {},
): Promise<CallPipeline> {
  const time = stopTime();
  const { clock } = time;
  const steps: string[] = [];
  const refused: string[] = [];
  const finished: Finished[] = [];
  const secrets = createSecrets(options.secrets);
  const upstream = createUpstream(time, steps);
  const { ledger, records } = createLedger(options, steps);
  const budget = createByteBudget(options.memoryBytes ?? DEFAULT_MEMORY_BYTES);
  const callers = createCallers(budget);
  const callTool = createCallTool({
    catalog: createCatalog({ presets: options.presets ?? [await compilePreset(document)], clock }),
    cache: createResponseCache({
      maxBytes: CACHE_BYTES,
      staleSeconds: STALE_SECONDS,
      clock,
      logger: { warn: () => undefined },
    }),
    ledger,
    clock,
    mask: maskArguments,
    normalise: options.normalise ?? createPayloadReader(PUBLIC_DATA_PAYLOADS),
    budget,
    connectionFor: () => ({ cacheIdentity: 'operator', secrets: secrets.find, sender: upstream }),
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    nextPublication: () => undefined,
    incompleteUntil: options.incompleteUntil ?? (() => undefined),
    resolveCode: options.resolveCode ?? resolveNothing,
    argumentThread: { read: () => Promise.reject(new Error('No tool is registered.')) },
    isSandbox: false,
    onNotFound: (tool, { caller }, reason) =>
      void refused.push(`${reason}: ${tool} by ${caller.apiKeyId}`),
    onFinished: (call) => {
      steps.push('finished');
      finished.push(readFinished(call));
      options.onFinished?.(call);
    },
  });
  return {
    call: async (name, args = {}, how = {}) => {
      const { clientId } = how;
      const call = { name, arguments: args, clientId, cancellation: callers.cancellationOf(how) };
      return readOutcome(await callTool(call, callers.contextOf(how)));
    },
    answer: upstream.answer,
    sent: upstream.sent,
    records,
    finished,
    refused,
    steps,
    asked: callers.asked,
    pass: time.pass,
    setSecret: secrets.set,
    usedBytes: () => budget.stats().usedBytes,
    release: callers.release,
  };
}

const CALLER: Caller = {
  tenantId: 'ten_a',
  tenantSlug: 'a',
  apiKeyId: 'key_a',
  allowedTools: null,
};

/** Callers, each with a hold of its own. */
function createCallers(budget: ByteBudget) {
  const holds: MemoryHold[] = [];
  const asked = { cancellations: 0, holds: 0 };
  return {
    asked,
    contextOf: ({ caller, clientName = 'client/1.0' }: CallOptions): CallContext => {
      const who = { ...CALLER, ...caller };
      const memory = budget.open(who.tenantId);
      holds.push(memory);
      return {
        caller: who,
        requestId: 'req_a',
        dialect: 'plain',
        clientName,
        clientIp: '192.0.2.1',
        memory: () => {
          asked.holds++;
          return memory;
        },
      };
    },
    cancellationOf: ({ cancellation }: CallOptions): (() => Cancellation) | undefined => {
      if (!cancellation) return undefined;
      return () => {
        asked.cancellations++;
        return cancellation;
      };
    },
    release: () => {
      for (const memory of holds.splice(0)) memory.close();
    },
  };
}

/** The failure of a call that gets no response. */
export const failureOf = (call: Promise<Told>): Promise<Failure> =>
  call.then((told) => {
    throw new Error(`The call got a response: ${JSON.stringify(told)}`);
  }, readFailure);

/** Reads the error of a rejected call; throws an error that no caller may ever see. */
export function readFailure(thrown: unknown): Failure {
  const failure = thrown instanceof CallFailure ? thrown : null;
  const error = failure ? failure.error : thrown;
  if (!(error instanceof GatewayError)) throw thrown;
  return {
    auditId: failure?.auditId ?? null,
    tool: failure?.tool ?? null,
    code: error.code,
    message: error.message,
    errors: error.details.errors ?? [],
    details: error.details,
  };
}

/** Never responds; rejects like the upstream client when the caller cancels. */
export const hang: Respond = (_request, { cancellation }) =>
  new Promise((_resolve, reject) => {
    cancellation?.watch({ onCancelled: () => reject(new GatewayError('cancelled')) });
  });

const withoutSource = ({ source: _, ...facts }: Provenance) => facts;

const readOutcome = ({ response, ...outcome }: CallOutcome): Told => ({
  auditId: outcome.auditId,
  tool: outcome.entry.tool.name,
  cacheStatus: outcome.cacheStatus,
  upstream: { method: outcome.entry.tool.method, url: response.url, status: response.status },
  data: JSON.parse(response.json.toString()),
  bytes: response.json.length,
  publicData: response.publicData,
  rows: response.rows,
  count: outcome.rows,
  isError: outcome.isError,
  kind: outcome.kind,
  cause: outcome.cause,
  provenance: withoutSource(outcome.provenance),
});

function readFinished({ call, context, entry, result, ...rest }: FinishedCall): Finished {
  const failed = result instanceof GatewayError;
  return {
    auditId: rest.auditId,
    tool: entry.tool.name,
    tenantId: context.caller.tenantId,
    clientId: call.clientId,
    code: failed ? result.code : null,
    status: failed ? null : result.response.status,
    cacheStatus: failed ? null : result.cacheStatus,
    isError: failed || result.isError,
    url: rest.publishedUrl,
    durationMs: rest.durationMs,
  };
}

interface StoppedTime {
  readonly clock: Clock;
  readonly pass: (ms: number) => void;
}

/** Stops both clocks of the process until the end of the test; only the test advances them. */
function stopTime(): StoppedTime {
  let elapsedMs = 0;
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => elapsedMs);
  onTestFinished(() => spy.mockRestore());
  return {
    clock: { now: () => NOON_MS + elapsedMs },
    pass: (ms) => {
      elapsedMs += ms;
    },
  };
}

function createSecrets(values: Readonly<Record<string, string>> = {}) {
  const secrets = new Map<string, Secret>();
  const set = (name: string, value: string) => void secrets.set(name, new Secret(value));
  for (const [name, value] of Object.entries(values)) set(name, value);
  return { set, find: (name: string) => secrets.get(name) };
}

function createUpstream(time: StoppedTime, steps: string[]) {
  const sent: Sent[] = [];
  let respond: Respond = () => ({ body: { ok: true } });

  /** The response. The call is also notified of a request that fails. */
  async function reply(request: UpstreamRequest, options: SendOptions): Promise<Reply> {
    const startedMs = performance.now();
    try {
      return await respond(request, options);
    } catch (error) {
      options.onSent?.({ status: null, upstreamMs: performance.now() - startedMs });
      throw error;
    }
  }

  return {
    sent,
    answer: (reply: Reply | Respond) => {
      respond = typeof reply === 'function' ? reply : () => reply;
    },
    send: async (request: UpstreamRequest, options: SendOptions): Promise<RawResponse> => {
      steps.push('sent');
      sent.push({
        method: request.method,
        url: request.origin + request.path,
        body: request.body?.toString() ?? null,
        tenantId: options.tenantId,
        idempotent: options.idempotent,
        remainingMs: options.deadline.remainingMs(),
        cancellation: options.cancellation,
      });
      const {
        body,
        status = 200,
        contentType = 'application/json',
        tookMs = 0,
        hidden,
        retryAfterSeconds,
      } = await reply(request, options);
      time.pass(tookMs);
      options.onSent?.({ status, upstreamMs: tookMs });
      const response = { status, contentType, body: toBytes(body), upstreamMs: tookMs };
      return {
        ...response,
        ...(hidden && { hidden }),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      };
    },
  };
}

function toBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function createLedger({ assertWritable, commit }: PipelineOptions, steps: string[]) {
  const records: AuditRecord[] = [];
  const ledger: AuditLedger = {
    isWritable: () => true,
    assertWritable: () => assertWritable?.(),
    append: async (record) => {
      steps.push('appended');
      await commit?.(record);
      steps.push('committed');
      records.push(record);
    },
    stats: () => {
      throw new Error('A call does not read the statistics of the ledger.');
    },
  };
  return { ledger, records };
}

const compiled = new Map<string, PresetServer>();

/** Compiles each document once for all tests of a file. */
export async function compilePreset(document: string): Promise<PresetServer> {
  const known = compiled.get(document);
  if (known) return known;
  const preset = {
    ...(await compileText(HEAD + document.trimStart())),
    id: 'weather/sky',
    category: 'weather',
    filePath: '/presets/weather/sky.yaml',
  };
  compiled.set(document, preset);
  return preset;
}
