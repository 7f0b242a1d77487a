import type { IncomingHttpHeaders } from 'node:http';
import type { SimulatedFault } from './fault.ts';
import type { FaultPlan } from './fault-plan.ts';
import { refusalOf } from './sandbox-request.ts';
import { type SandboxResponse, textResponse } from './sandbox-response.ts';
import type { SandboxRoute } from './sandbox-route.ts';

/** A request below a preset's base address. */
export interface ImitatedRequest {
  readonly method: string;
  /** Path below the base address. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** A fault asked for by this request itself. */
  readonly fault: SimulatedFault | undefined;
}

export interface ImitatedResponse {
  readonly answer: SandboxResponse;
  readonly delayMs: number;
}

/** Answers as the upstream of this preset would; `routes` are all of one preset and not empty. */
export function imitateUpstream(
  routes: readonly SandboxRoute[],
  request: ImitatedRequest,
  faults: FaultPlan,
): ImitatedResponse {
  for (const route of routes) {
    const match = route.tool.method === request.method ? route.pattern.exec(request.path) : null;
    if (match) {
      const fault = request.fault ?? faults.take(route.presetId, route.tool.name);
      return answerRoute(route, request, match.slice(1).map(decodeSegment), fault);
    }
  }
  const unknown = routes[0]?.family.refuse('unknown_path', undefined);
  return { answer: unknown ?? textResponse('There are no operations here.\n', 404), delayMs: 0 };
}

function answerRoute(
  route: SandboxRoute,
  { query, headers }: ImitatedRequest,
  pathValues: readonly string[],
  fault: SimulatedFault | undefined,
): ImitatedResponse {
  const { family, sample, tool } = route;
  if (!sample) {
    return { answer: textResponse(`There is no sample for ${tool.name}.\n`, 501), delayMs: 0 };
  }
  const refusal = refusalOf(route, { query, headers, pathValues });
  const answer = refusal ? family.refuse(refusal, sample) : sample;
  return {
    answer: fault?.answer?.({ family, answer, ok: refusal === undefined }) ?? answer,
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
