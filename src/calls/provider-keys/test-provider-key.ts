import type { ProviderKeySource } from '../../access/provider-keys/provider-key-source.ts';
import { checkValue, type Fingerprint } from '../../access/provider-keys/provider-key-store.ts';
import { assertKnown } from '../../access/provider-keys/provider-keys.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { RequestSender } from '../../tools/tool-connection.ts';
import type { JudgeRefusal, KeyVerdict } from '../../upstreams/payload/upstream-response.ts';
import type { CallEntry } from '../call-tool.ts';
import { type CallContext, CallFailure, type CallOutcome, toResult } from '../tool-call.ts';
import { type ExampleCall, testCallsOf } from './key-users.ts';
import { createOperatorKeys } from './observe-key.ts';

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
  readonly callEntry: CallEntry;
  readonly judge: JudgeRefusal;
  readonly fingerprint: Fingerprint;
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
    if (!secret) {
      throw new GatewayError('missing_secret', `${name} is not set. Send a value to test.`);
    }
    const call = chooseCall(deps.catalog, request);
    await deps.charge();
    const test = await run(deps, { name, secret, call }, context);
    await deps.record(request, test, context);
    return test;
  };
}

function chooseCall(catalog: TestProviderKeyDeps['catalog'], request: KeyTestRequest): ExampleCall {
  const calls = testCallsOf(catalog, request.name);
  const call = calls.find(({ entry }) => entry.tool.name === (request.tool ?? entry.tool.name));
  if (call) return call;
  const names = calls.map(({ entry }) => entry.tool.name).join(', ');
  throw new GatewayError(
    'not_found',
    names
      ? `That tool cannot test ${request.name}. Tools that can: ${names}.`
      : `No tool can test ${request.name}: none has examples of all arguments. Set it and call one of its tools.`,
  );
}

async function run(
  { source, sender, callEntry, judge, fingerprint }: TestProviderKeyDeps,
  { name, secret, call }: { name: string; secret: Secret; call: ExampleCall },
  context: CallContext,
): Promise<KeyTest> {
  const { tool, server } = call.entry;
  const secretOf = (each: string) => (each === name ? secret : source.secretOf(each));
  const entry: CatalogEntry = {
    ...call.entry,
    // Neither answered from the cache nor kept there: the call must reach the upstream with this key.
    tool: { ...tool, cacheTtlSeconds: 0, stepBack: 0 },
    connection: {
      cacheIdentity: 'provider-key-test',
      secrets: secretOf,
      // A value that is not stored has a fingerprint of its own.
      keyInUse: createOperatorKeys(secretOf, fingerprint),
      sender,
    },
  };
  const startedMs = performance.now();
  const result = await toResult(
    callEntry(entry, { name: tool.name, arguments: call.arguments }, context),
  );
  const durationMs = Math.round(performance.now() - startedMs);
  const { auditId } = result;
  const judged =
    result instanceof CallFailure ? judgeError(result.error) : judgeOutcome(judge, name, result);
  const message = messageOf(judged.verdict, tool.source.docUrl);
  return { ...judged, message, tool: tool.name, serverId: server.id, auditId, durationMs };
}

type Judged = Pick<KeyTest, 'verdict' | 'status' | 'code' | 'hint'>;

function judgeOutcome(
  judge: JudgeRefusal,
  name: string,
  { isError, response }: CallOutcome,
): Judged {
  const { status, publicData } = response;
  return {
    verdict: isError ? (judge(name, response) ?? verdictOfStatus(status)) : 'works',
    status,
    code: publicData?.code ?? null,
    hint: publicData?.hint ?? publicData?.message ?? null,
  };
}

/** Throws the gateway's own errors: they say nothing about the key. */
function judgeError(error: GatewayError): Judged {
  const { message: hint } = error;
  if (error.code === 'quota_exhausted')
    return { verdict: 'quota_used_up', status: null, code: null, hint };
  const isUpstream = error.code.startsWith('upstream_');
  // With `missing_secret`, the value cannot be sent where this provider expects it, such as in a header.
  if (!isUpstream && error.code !== 'missing_secret') throw error;
  const verdict = isUpstream ? 'upstream_unavailable' : 'key_invalid';
  return { verdict, status: null, code: null, hint };
}

/** What a status says about a key, for upstreams that say nothing more. */
export function verdictOfStatus(status: number): KeyVerdict {
  if (status === 401 || status === 403) return 'key_invalid';
  if (status === 429) return 'too_fast';
  return status >= 500 ? 'upstream_unavailable' : 'unclear';
}

/** Where the page of the dataset helps, the words name it. */
function messageOf(verdict: KeyVerdict, page: string | null): string {
  const isDoneThere = verdict === 'not_applied' || verdict === 'key_expired';
  return isDoneThere && page ? `${WORDS[verdict]} ${page}` : WORDS[verdict];
}

/** The verdicts in plain words, with what to do next. */
const WORDS: Readonly<Record<KeyVerdict, string>> = {
  works: 'The key works.',
  key_invalid:
    'The provider does not accept the key. Check that it was copied completely; a new key may take an hour until it is known.',
  key_blocked: 'The provider has suspended the key. Ask the provider why.',
  key_expired:
    'The period for which the provider granted access has ended. Extend it at the provider, then test again.',
  not_applied:
    'The provider knows the key, but access to this dataset has not been granted. Apply for the dataset with the same account.',
  address_refused:
    "The provider does not accept this key from the gateway's address. Register the address at the provider.",
  quota_used_up:
    "The key is valid, but the day's quota is used up. Wait until midnight in Korea, or request a higher quota.",
  withdrawn:
    'The provider has withdrawn the operation of this tool, whatever the key. Update the preset, and test with another tool.',
  too_fast: 'The provider received too many requests. Wait a minute, then test again.',
  upstream_unavailable:
    'The provider did not answer as it should, so nothing is known about the key. Test again later.',
  unclear:
    'The provider refused the call for another reason. Its response is in the audit log; try another tool.',
};
