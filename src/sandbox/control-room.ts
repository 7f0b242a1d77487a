import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { FAULT_WORDS, parseFault } from './fault.ts';
import type { FaultPlan } from './fault-plan.ts';
import { jsonResponse, type SandboxResponse, textResponse } from './sandbox-response.ts';

/** One request that an imitated upstream got; `path` without the key. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
}

/** The requests an imitated upstream got: how many, and the last hundred. */
export interface RequestLog {
  readonly total: number;
  readonly last: readonly SeenRequest[];
  add(request: SeenRequest): void;
}

const KEPT_REQUESTS = 100;

export function createRequestLog(): RequestLog {
  const last: SeenRequest[] = [];
  let total = 0;
  return {
    get total() {
      return total;
    },
    last,
    add(request) {
      total++;
      last.push(request);
      if (last.length > KEPT_REQUESTS) last.shift();
    },
  };
}

/** Answers the addresses below `/_sandbox/`, by which tests and people steer the sandbox. */
export async function answerControl(
  request: IncomingMessage,
  path: string,
  faults: FaultPlan,
  log: RequestLog,
): Promise<SandboxResponse> {
  switch (`${request.method} ${path}`) {
    case 'GET /_sandbox/requests':
      return jsonResponse({ total: log.total, requests: log.last });
    case 'DELETE /_sandbox/faults':
      faults.clear();
      return jsonResponse({ ok: true });
    case 'POST /_sandbox/faults':
      return planFault((await buffer(request)).toString(), faults);
    default:
      return textResponse('There is nothing here; GET / explains.\n', 404);
  }
}

function planFault(body: string, faults: FaultPlan): SandboxResponse {
  const order = readOrder(body);
  const fault = typeof order?.fault === 'string' ? parseFault(order.fault) : undefined;
  const target = order?.presetId ?? order?.tool;
  const times = order?.times ?? 1;
  const fits =
    (target === undefined || typeof target === 'string') &&
    typeof times === 'number' &&
    Number.isInteger(times) &&
    times > 0;
  if (!fault || !fits) {
    const shape = '{"fault": ..., "presetId" or "tool": a name (all when unsaid), "times": 1}';
    return textResponse(`Send JSON such as ${shape}. Faults: ${FAULT_WORDS}.\n`, 400);
  }
  faults.add(fault, target, times);
  return jsonResponse({ ok: true });
}

/** An order to misbehave, as sent. */
interface FaultOrder {
  readonly fault?: unknown;
  readonly presetId?: unknown;
  readonly tool?: unknown;
  readonly times?: unknown;
}

function readOrder(body: string): FaultOrder | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return value !== null && typeof value === 'object' ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
