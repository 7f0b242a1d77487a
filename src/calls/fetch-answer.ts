import type { FetchedAnswer } from '../cache/answer-cache.ts';
import { type ByteBudget, overBudget, SMALL_BYTES } from '../platform/kernel/byte-budget.ts';
import type { Deadline } from '../platform/kernel/deadline.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import type { Tool } from '../tools/model.ts';
import type {
  SendOptions,
  UpstreamAnswer,
  UpstreamClient,
} from '../upstreams/client/upstream-client.ts';
import type {
  NormalisedPayload,
  NormalisePayload,
  PayloadInput,
} from '../upstreams/payload/normalise-payload.ts';
import { hiddenSecrets } from './hidden-secrets.ts';
import type { PreparedTool } from './prepared-tool.ts';

export interface FetchDeps {
  readonly upstreams: UpstreamClient;
  readonly normalise: NormalisePayload;
  readonly budget: ByteBudget;
  readonly secrets: (name: string) => Secret | undefined;
}

/** The upstream's own, passing faults: result codes 01 application, 02 database, 04 HTTP, 05 time-out. */
const PASSING_FAULTS = new Set(['01', '02', '04', '05']);

/**
 * Asks the upstream of a tool, tells how long it took, and normalises what it says. Rejects with upstream errors and
 * `overloaded` only. The tenant's share of the memory budget pays until the answer is handed on.
 */
export async function fetchAnswer(
  deps: FetchDeps,
  tool: Tool,
  prepared: PreparedTool,
  args: Record<string, unknown>,
  asker: Pick<SendOptions, 'tenantId' | 'deadline' | 'departure'>,
  onTimed: (upstreamMs: number) => void,
): Promise<FetchedAnswer> {
  const request = prepared.encode(args, deps.secrets);
  // Those that are sent; the operator may have changed them before the answer comes.
  const hidden = hiddenSecrets(tool, deps.secrets);
  const memory = deps.budget.open(asker.tenantId);
  try {
    const { idempotent } = prepared;
    const answer = await deps.upstreams.send(request, { ...asker, idempotent, memory });
    onTimed(answer.upstreamMs);
    // Its JSON may be a copy, and the body stays until that is made.
    const isSmall = answer.body.length <= SMALL_BYTES;
    if (!isSmall && !memory.take(answer.body.length)) throw overBudget();
    const normalised = normalise(deps, tool, answer, hidden, asker.deadline);
    const payload = normalised instanceof Promise ? await normalised : normalised;
    return toFetchedAnswer(request.redactedUrl, answer.status, payload);
  } finally {
    memory.close();
  }
}

const normalise = (
  { normalise }: FetchDeps,
  tool: Tool,
  answer: UpstreamAnswer,
  hidden: PayloadInput['hidden'],
  deadline: Deadline,
) =>
  normalise({
    status: answer.status,
    contentType: answer.contentType,
    body: answer.body,
    shape: tool.payload,
    isPublicData: tool.isPublicData,
    deadline,
    hidden,
  });

function toFetchedAnswer(url: string, status: number, payload: NormalisedPayload): FetchedAnswer {
  const good = payload.ok && status >= 200 && status < 300;
  return {
    answer: {
      status,
      url,
      json: payload.json,
      ok: payload.ok,
      publicData: payload.publicData,
      rows: payload.rows,
    },
    cacheable: good,
    preferStale:
      status >= 500 ||
      status === 429 ||
      (!payload.ok && PASSING_FAULTS.has(payload.publicData?.code ?? '')),
  };
}
