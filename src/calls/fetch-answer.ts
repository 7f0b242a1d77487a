import type { FetchedAnswer } from '../cache/answer-cache.ts';
import type { Deadline } from '../kernel/deadline.ts';
import type { Secret } from '../kernel/secret.ts';
import type { Tool } from '../openapi/tool.ts';
import type { NormalisePayload } from '../payload/normalise-payload.ts';
import type { UpstreamClient } from '../upstreams/upstream-client.ts';
import type { PreparedTool } from './prepared-tool.ts';
import { redactSecrets } from './redact-secrets.ts';

export interface FetchDeps {
  readonly upstreams: UpstreamClient;
  readonly normalise: NormalisePayload;
  readonly secrets: (name: string) => Secret | undefined;
}

/** The upstream's own, passing faults: result codes 01 application, 02 database, 04 HTTP, 05 time-out. */
const PASSING_FAULTS = new Set(['01', '02', '04', '05']);

/** Asks the upstream of a tool, tells how long it took, and normalises what it says. Rejects with upstream errors only. */
export async function fetchAnswer(
  deps: FetchDeps,
  tool: Tool,
  prepared: PreparedTool,
  args: Record<string, unknown>,
  deadline: Deadline,
  signal: AbortSignal | undefined,
  onTimed: (upstreamMs: number) => void,
): Promise<FetchedAnswer> {
  const request = prepared.encode(args, deps.secrets);
  const answer = await deps.upstreams.send(request, {
    deadline,
    signal,
    idempotent: prepared.idempotent,
  });
  onTimed(answer.upstreamMs);
  const normalised = deps.normalise({
    status: answer.status,
    contentType: answer.contentType,
    body: answer.body,
    shape: tool.payload,
    isPublicData: tool.isPublicData,
  });
  const payload = normalised instanceof Promise ? await normalised : normalised;
  const good = payload.ok && answer.status >= 200 && answer.status < 300;
  return {
    answer: {
      status: answer.status,
      url: request.redactedUrl,
      json: good ? payload.json : redactSecrets(payload.json, tool.secrets, deps.secrets),
      ok: payload.ok,
      publicData: payload.publicData,
      rows: payload.rows,
    },
    cacheable: good,
    preferStale:
      answer.status >= 500 ||
      answer.status === 429 ||
      (!payload.ok && PASSING_FAULTS.has(payload.publicData?.code ?? '')),
  };
}
