import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../platform/kernel/plain-json.ts';
import { answerQuestion } from './answers/answer-question.ts';
import { ruleOf } from './answers/answer-rules.ts';
import { createQuestion } from './answers/question.ts';
import type { SimulatedFault } from './fault.ts';
import type { FaultPlan } from './fault-plan.ts';
import { keyRefusalOf, parameterValue, refusalOf } from './sandbox-request.ts';
import { type SandboxFile, textResponse } from './sandbox-response.ts';
import type { SandboxRoute } from './sandbox-route.ts';

/** A request below the base address of a preset. */
export interface SimulatedRequest {
  readonly method: string;
  /** Path below the base address. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The JSON object in the body, if there is one. */
  readonly body: JsonObject | undefined;
  readonly nowMs: number;
  /** The fault that the request itself selects. */
  readonly fault: SimulatedFault | undefined;
}

export interface SimulatedResponse {
  readonly response: SandboxFile;
  readonly delayMs: number;
}

/** Responds as the upstream of a preset would. `routes` are those of one preset, at least one. */
export function simulateUpstream(
  routes: readonly SandboxRoute[],
  request: SimulatedRequest,
  faults: FaultPlan,
): SimulatedResponse {
  for (const route of routes) {
    const match = route.tool.method === request.method ? route.pattern.exec(request.path) : null;
    if (match) {
      const fault = request.fault ?? faults.take(route.presetId, route.tool.name);
      return respondAtRoute(route, request, match.slice(1).map(decodeSegment), fault);
    }
  }
  const file = routes[0] && fileOf(routes[0], request);
  if (file) return { response: file, delayMs: 0 };
  const unknown = routes[0]?.family.refuse('unknown_path', undefined);
  return { response: unknown ?? textResponse('This preset has no operations.\n', 404), delayMs: 0 };
}

/** The file of the upstream at this path, for requests with the key of its operations. */
function fileOf(
  route: SandboxRoute,
  { path, query, headers }: SimulatedRequest,
): SandboxFile | undefined {
  return route.family.file?.(path, keyRefusalOf(route, { query, headers, pathValues: [] }));
}

function respondAtRoute(
  route: SandboxRoute,
  { query, headers, body, nowMs }: SimulatedRequest,
  pathValues: readonly string[],
  fault: SimulatedFault | undefined,
): SimulatedResponse {
  const { family, sample, tool } = route;
  if (!sample) {
    return { response: textResponse(`There is no sample for ${tool.name}.\n`, 501), delayMs: 0 };
  }
  const request = { query, headers, pathValues };
  const refusal = refusalOf(route, request);
  const question = createQuestion({
    tool: tool.name,
    nowMs,
    textOf: (name) => parameterValue(route, request, name),
    body,
  });
  const { response, hasData } = refusal
    ? { response: family.refuse(refusal, sample), hasData: false }
    : answerQuestion({ tool, family, sample }, ruleOf(tool.name), question);
  return {
    response: fault?.respond?.({ family, response, hasData }) ?? response,
    delayMs: fault?.delayMs ?? 0,
  };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
