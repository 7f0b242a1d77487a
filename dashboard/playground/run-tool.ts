import { type AdminAnswer, sendAdmin } from '../api/call-admin.ts';
import type { Arguments } from './form-values.ts';
import { OVER } from './ranges.ts';

/** A tool with everything that its page shows. */
export type ToolDetails = AdminAnswer<'GET /catalogue/:tool'>;

/** What a run cost. */
export interface RunCost {
  /** Milliseconds in the gateway, the upstream's time included. */
  readonly durationMs: number;
  /** Milliseconds of the upstream request; null if none was sent for this run. */
  readonly upstreamMs: number | null;
  /** Of the data. */
  readonly bytes: number;
  /** An estimate of what the whole response costs a model. */
  readonly tokens: number;
}

/** What a range would cost, as `_dry_run` tells it. */
export interface RangeCost {
  readonly units: number;
  readonly requests: number;
  /** Units in the cache. */
  readonly cached: number;
  /** Requests that the key and the provider still allow today; null without a limit. */
  readonly left: { readonly day: number | null; readonly quota: number | null };
  readonly maxRequests: number;
  readonly fits: boolean;
}

/** The addresses of a file with all rows. */
export interface ResultLink {
  readonly csv: string;
  readonly ndjson: string;
  readonly json: string;
  readonly expiresAt: string;
}

/** The result of a call (docs/contract.md#call-result). */
export interface RpcResult {
  readonly upstream: { readonly method: string; readonly url: string; readonly status: number };
  readonly data: unknown;
  readonly publicData?: { readonly code: string; readonly message: string; readonly hint?: string };
  readonly cacheStatus: string;
  readonly auditId: string;
  readonly provenance: Provenance;
  readonly rows?: {
    readonly returned?: number;
    readonly hint?: string;
    readonly link?: ResultLink;
    /** Of a registered API: where the gateway found the rows. */
    readonly found?: Pick<ToolDetails, 'items' | 'itemWrapper'>;
  };
  /** Of a range: whether every unit came whole, and how many did. */
  readonly complete?: boolean;
  readonly units?: {
    readonly done: number;
    readonly total: number;
    readonly failed: number;
    readonly failures?: readonly {
      readonly unit: Readonly<Record<string, unknown>>;
      readonly reason: string;
    }[];
  };
}

/** Where data are from (docs/contract.md#provenance). */
export interface Provenance {
  readonly publisher: string | null;
  readonly dataset: string;
  readonly docUrl: string | null;
  readonly licence: string;
  readonly licenceUrl: string | null;
  /** The time to which the data refer, no more precise than the upstream says it. */
  readonly asOf: string | null;
  /** True if the sandbox made the data up. */
  readonly sample?: boolean;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: {
    readonly auditId?: string;
    readonly reason?: string;
    readonly errors?: readonly ArgumentIssue[];
  };
}

/** Reasons of a code of the same name. The others say what the upstream did. */
const OWN_REASONS: readonly string[] = ['missing_secret', 'overloaded', 'internal'];

/** The code of docs/errors.md that an error of JSON-RPC has, as far as it shows (docs/contract.md#errors). */
export function codeOf({ code, data }: RpcError): string | undefined {
  if (data?.reason === 'quota') return 'quota_exhausted';
  if (data?.reason) {
    return OWN_REASONS.includes(data.reason) ? data.reason : `upstream_${data.reason}`;
  }
  if (code !== -32602) return undefined;
  return data?.errors ? 'invalid_arguments' : 'tool_not_found';
}

/** What a run came to. */
export interface Run {
  readonly arguments: Arguments;
  readonly cost: RunCost;
  /** The JSON-RPC response, byte for byte as programs get it. */
  readonly text: string;
  readonly result: RpcResult | null;
  readonly error: RpcError | null;
  /** Of a long range that waits for the person. */
  readonly estimate: RangeCost | null;
}

interface ToRun {
  readonly tenant: string;
  readonly tool: string;
  readonly args: Arguments;
}

/** Runs a tool as the person who is signed in. Throws an AdminError if nothing was run. */
export async function runTool({ tenant, tool, args }: ToRun, signal: AbortSignal): Promise<Run> {
  const input = { tenant, tool, arguments: args };
  const response = await sendAdmin('POST /tenants/:tenant/tools/:tool/run', input, { signal });
  return readRun(args, await response.text());
}

/** Requests that nobody is asked about. */
const FEW_REQUESTS = 12;

/** Runs a tool; of a long range, says what it would cost. */
export async function runUnlessLong(call: ToRun, signal: AbortSignal): Promise<Run> {
  if (call.args[OVER] === undefined) return runTool(call, signal);
  const dry = await runTool({ ...call, args: { ...call.args, _dry_run: true } }, signal);
  const estimate = dry.result ? (dry.result.data as RangeCost) : null;
  const isShort = estimate?.fits && estimate.requests - estimate.cached <= FEW_REQUESTS;
  return isShort ? runTool(call, signal) : { ...dry, arguments: call.args, estimate };
}

const RESPONSE = '"response":';

/** The response to `run` is the JSON-RPC response with what it cost around it. */
export function readRun(args: Arguments, body: string): Run {
  const { response, ...cost } = JSON.parse(body);
  const text = body.slice(body.indexOf(RESPONSE) + RESPONSE.length, -1);
  return {
    arguments: args,
    cost: { ...cost, tokens: countTokens(text) },
    text,
    result: response.result ?? null,
    error: response.error ?? null,
    estimate: null,
  };
}

/** Characters per token, roughly as the tokenisers of current models divide JSON and English. */
const ASCII_CHARACTERS_PER_TOKEN = 4;
/** Characters that are read of a long text; the rest is taken to be alike. */
const SAMPLE = 200_000;

/** Estimates what a text costs a model: four ASCII characters are one token, and every other character is one. */
export function countTokens(text: string): number {
  const sample = text.slice(0, SAMPLE);
  const others = sample.match(/[^\0-\x7f]/gu)?.length ?? 0;
  const tokens = others + (sample.length - others) / ASCII_CHARACTERS_PER_TOKEN;
  return Math.ceil(tokens * (sample.length > 0 ? text.length / sample.length : 1));
}

/** What is wrong with one argument: where in the arguments, as a JSON pointer, and what. */
export interface ArgumentIssue {
  readonly path: string;
  readonly message: string;
}

export interface SplitIssues {
  /** What is wrong with each argument that has a field, in words. */
  readonly byName: Readonly<Record<string, string>>;
  /** What belongs to no field. */
  readonly others: readonly ArgumentIssue[];
}

/** Divides what is wrong with arguments into what stands at a field and the rest. */
export function splitIssues(
  issues: readonly ArgumentIssue[],
  names: readonly string[],
): SplitIssues {
  const byName = new Map<string, string>();
  const others: ArgumentIssue[] = [];
  for (const issue of issues) {
    const [first = '', ...within] = issue.path.split('/').slice(1).map(unescapeToken);
    if (!names.includes(first)) {
      others.push(issue);
      continue;
    }
    const text = [...(within.length > 0 ? [`${within.join('.')}:`] : []), issue.message].join(' ');
    const before = byName.get(first);
    byName.set(first, before === undefined ? capitalise(text) : `${before} ${capitalise(text)}`);
  }
  return { byName: Object.fromEntries(byName), others };
}

const unescapeToken = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
