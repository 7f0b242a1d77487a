import type { ProviderKeySource } from '../../access/provider-keys/provider-key-source.ts';
import { checkValue } from '../../access/provider-keys/provider-key-store.ts';
import { assertKnown } from '../../access/provider-keys/provider-keys.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { RequestSender } from '../../tools/tool-connection.ts';
import type { JudgeRefusal, KeyVerdict } from '../../upstreams/payload/key-verdict.ts';
import type { CallTool } from '../call-tool.ts';
import { type CallContext, CallFailure, type CallOutcome } from '../tool-call.ts';
import { type KeyTestCall, testCallsOf } from './key-users.ts';
import { explainVerdict, verdictOfStatus } from './key-verdict.ts';

export interface KeyTestRequest {
  readonly name: string;
  /** A value to test before it is stored; without it, the value in use. */
  readonly value?: Secret | undefined;
  /** Name of the tool to call; without it, the cheapest one. */
  readonly tool?: string | undefined;
}

/** What a test came to. */
export interface KeyTest {
  readonly verdict: KeyVerdict;
  /** The verdict in plain words, with what to do next. */
  readonly message: string;
  readonly tool: string;
  readonly serverId: string;
  /** HTTP status of the upstream; null if it did not respond. */
  readonly status: number | null;
  /** Result code of a public-data upstream. */
  readonly code: string | null;
  /** What the code means and what to do, or the error of a call without a response. */
  readonly hint: string | null;
  readonly auditId: string;
  readonly durationMs: number;
}

export interface TestProviderKeyDeps {
  readonly source: Pick<ProviderKeySource, 'names' | 'secretOf' | 'decode'>;
  readonly catalog: Pick<Catalog, 'presetEntries'>;
  readonly sender: RequestSender;
  /** Calls a tool that is not in the catalog like any other, and records the call. */
  readonly callEntry: (entry: CatalogEntry, ...call: Parameters<CallTool>) => Promise<CallOutcome>;
  readonly judge: JudgeRefusal;
  /** Counts the test. Throws or rejects with `rate_limited`. */
  readonly charge: () => void | Promise<void>;
  /** Enters the test in the trail. */
  readonly record: (request: KeyTestRequest, test: KeyTest, context: CallContext) => Promise<void>;
}

/**
 * Tests a provider key with one real call on behalf of the caller. Rejects with `not_found` for an unknown key or tool,
 * `missing_secret` without a value, `rate_limited`, and with the gateway's own errors; what the upstream does is the result.
 */
export type TestProviderKey = (request: KeyTestRequest, context: CallContext) => Promise<KeyTest>;

export function createTestProviderKey(deps: TestProviderKeyDeps): TestProviderKey {
  return async (request, context) => {
    const { name, value } = request;
    assertKnown(name, deps.source.names);
    if (value) checkValue(value);
    const secret = value ? deps.source.decode(name, value) : deps.source.secretOf(name);
    if (!secret)
      throw new GatewayError('missing_secret', `${name} is not set. Send a value to test.`);
    const call = chooseCall(deps.catalog, request);
    await deps.charge();
    const test = await run(deps, { name, secret, call }, context);
    await deps.record(request, test, context);
    return test;
  };
}

function chooseCall(catalog: TestProviderKeyDeps['catalog'], request: KeyTestRequest): KeyTestCall {
  const calls = testCallsOf(catalog, request.name);
  const call =
    request.tool === undefined
      ? calls[0]
      : calls.find(({ entry }) => entry.tool.name === request.tool);
  if (call) return call;
  const names = calls.map(({ entry }) => entry.tool.name).join(', ');
  throw new GatewayError(
    'not_found',
    names
      ? `That tool cannot test ${request.name}. Tools that can: ${names}.`
      : `No tool can test ${request.name}: none has examples of all arguments. Set it and call one of its tools.`,
  );
}

interface KeyUnderTest {
  readonly name: string;
  readonly secret: Secret;
  readonly call: KeyTestCall;
}

async function run(
  deps: TestProviderKeyDeps,
  { name, secret, call }: KeyUnderTest,
  context: CallContext,
): Promise<KeyTest> {
  const { tool, server } = call.entry;
  const entry: CatalogEntry = {
    ...call.entry,
    // Neither answered from the cache nor kept there: the call must reach the upstream with this key.
    tool: { ...tool, cacheTtlSeconds: 0, stepBack: 0 },
    connection: {
      cacheIdentity: 'provider-key-test',
      secrets: (each) => (each === name ? secret : deps.source.secretOf(each)),
      sender: deps.sender,
    },
  };
  const startedMs = performance.now();
  const result = await finish(
    deps.callEntry(entry, { name: tool.name, arguments: call.arguments }, context),
  );
  const verdict =
    result instanceof CallFailure
      ? verdictOfError(result.error)
      : verdictOf(deps.judge, name, result);
  return {
    verdict,
    message: explainVerdict(verdict),
    tool: tool.name,
    serverId: server.id,
    auditId: result.auditId,
    durationMs: Math.round(performance.now() - startedMs),
    ...(result instanceof CallFailure
      ? { status: null, code: null, hint: result.error.message }
      : responsePart(result)),
  };
}

const finish = (calling: Promise<CallOutcome>): Promise<CallOutcome | CallFailure> =>
  calling.catch((error: unknown) => {
    if (error instanceof CallFailure) return error;
    throw error;
  });

const responsePart = ({ response: { status, publicData } }: CallOutcome) => ({
  status,
  code: publicData?.code ?? null,
  hint: publicData?.hint ?? publicData?.message ?? null,
});

function verdictOf(judge: JudgeRefusal, name: string, outcome: CallOutcome): KeyVerdict {
  const { isError, response } = outcome;
  if (!isError) return 'works';
  return judge(name, response) ?? verdictOfStatus(response.status);
}

/** Throws the gateway's own errors: they say nothing about the key. */
function verdictOfError(error: GatewayError): KeyVerdict {
  if (error.code.startsWith('upstream_')) return 'upstream_unavailable';
  // The value cannot be sent where this provider expects it, such as in a header.
  if (error.code === 'missing_secret') return 'key_invalid';
  throw error;
}
