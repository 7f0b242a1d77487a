import type { IncomingMessage } from 'node:http';
import { FAULT_SYNTAX, parseFault } from './fault.ts';
import type { FaultPlan } from './fault-plan.ts';
import { readSmallBody } from './read-small-body.ts';
import type { RequestLog } from './request-log.ts';
import { jsonResponse, type SandboxResponse, textResponse } from './sandbox-response.ts';

/** Responds at the addresses below `/_sandbox/`, which control the sandbox. */
export async function respondToControl(
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
      return planFault(await readSmallBody(request), faults);
    default:
      return textResponse('Not found. GET / describes the sandbox.\n', 404);
  }
}

function planFault(order: FaultOrder | undefined, faults: FaultPlan): SandboxResponse {
  const fault = typeof order?.fault === 'string' ? parseFault(order.fault) : undefined;
  const target = order?.presetId ?? order?.tool;
  const times = order?.times ?? 1;
  const isValid =
    (target === undefined || typeof target === 'string') &&
    typeof times === 'number' &&
    Number.isInteger(times) &&
    times > 0;
  if (!fault || !isValid) {
    const shape = '{"fault": ..., "presetId" or "tool": a name (default: all), "times": 1}';
    return textResponse(`Send JSON such as ${shape}. Faults: ${FAULT_SYNTAX}.\n`, 400);
  }
  faults.add(fault, target, times);
  return jsonResponse({ ok: true });
}

/** A request to inject a fault, as received. */
interface FaultOrder {
  readonly fault?: unknown;
  readonly presetId?: unknown;
  readonly tool?: unknown;
  readonly times?: unknown;
}
