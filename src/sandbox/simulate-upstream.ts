import type { IncomingHttpHeaders } from 'node:http';
import type { SimulatedFault } from './fault.ts';
import type { FaultPlan } from './fault-plan.ts';
import { refusalOf } from './sandbox-request.ts';
import { type SandboxResponse, textResponse } from './sandbox-response.ts';
import type { SandboxRoute } from './sandbox-route.ts';

/** A request below the base address of a preset. */
export interface SimulatedRequest {
  readonly method: string;
  /** Path below the base address. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The fault that the request itself selects. */
  readonly fault: SimulatedFault | undefined;
}

export interface SimulatedResponse {
  readonly response: SandboxResponse;
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
  const unknown = routes[0]?.family.refuse('unknown_path', undefined);
  return { response: unknown ?? textResponse('This preset has no operations.\n', 404), delayMs: 0 };
}

function respondAtRoute(
  route: SandboxRoute,
  { query, headers }: SimulatedRequest,
  pathValues: readonly string[],
  fault: SimulatedFault | undefined,
): SimulatedResponse {
  const { family, sample, tool } = route;
  if (!sample) {
    return { response: textResponse(`There is no sample for ${tool.name}.\n`, 501), delayMs: 0 };
  }
  const refusal = refusalOf(route, { query, headers, pathValues });
  const response = refusal ? family.refuse(refusal, sample) : sample;
  return {
    response: fault?.respond?.({ family, response, ok: refusal === undefined }) ?? response,
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
