import type { JsonObject } from '../src/platform/kernel/plain-json.ts';
import { FAULT_SYNTAX, type FaultPlan, parseFault } from './faults.ts';
import { jsonResponse, type SandboxResponse, textResponse } from './sandbox-response.ts';
import { readFactFile } from './tables.ts';

/** The response to `GET /`: a description of the sandbox for people. */
export const explainSandbox = (presetIds: readonly string[]): string =>
  readFactFile('about.txt')
    .replace('{presets}', presetIds.map((id) => `  /${id}/`).join('\n'))
    .replace('{faults}', FAULT_SYNTAX);

/** The requests that the simulated upstreams received, without their keys: the number of all, and the last. */
export interface RequestLog {
  readonly total: number;
  readonly requests: readonly { readonly method: string; readonly path: string }[];
}

/** Responds at the addresses below `/_sandbox/`, which control the sandbox. */
export function respondToControl(
  operation: string,
  order: JsonObject | undefined,
  faults: FaultPlan,
  log: RequestLog,
): SandboxResponse {
  switch (operation) {
    case 'GET /_sandbox/requests':
      return jsonResponse(log);
    case 'DELETE /_sandbox/faults':
      faults.clear();
      return jsonResponse({ ok: true });
    case 'POST /_sandbox/faults':
      return planFault(order ?? {}, faults);
    default:
      return textResponse('Not found. GET / describes the sandbox.\n', 404);
  }
}

/** Plans the fault that a request orders, as received. */
function planFault(order: JsonObject, faults: FaultPlan): SandboxResponse {
  const { presetId, tool, times = 1 } = order;
  const fault = typeof order['fault'] === 'string' ? parseFault(order['fault']) : undefined;
  const target = presetId ?? tool;
  if (
    !fault ||
    !(target === undefined || typeof target === 'string') ||
    !(typeof times === 'number' && Number.isInteger(times) && times > 0)
  ) {
    const shape = '{"fault": ..., "presetId" or "tool": a name (default: all), "times": 1}';
    return textResponse(`Send JSON such as ${shape}. Faults: ${FAULT_SYNTAX}.\n`, 400);
  }
  faults.add(fault, target, times);
  return jsonResponse({ ok: true });
}
