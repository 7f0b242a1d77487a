import type { Refusal, UpstreamFamily } from './families.ts';
import { htmlResponse, type SandboxResponse } from './sandbox-response.ts';

/** One way in which a simulated upstream fails. */
export interface SimulatedFault {
  /** Delay before the response, in milliseconds. */
  readonly delayMs?: number;
  /** Makes the response; without it, the ordinary response is sent. */
  readonly respond?: (ordinary: OrdinaryResponse) => SandboxResponse;
}

/** The response without a fault, and what a fault may need to change it. */
interface OrdinaryResponse {
  readonly family: UpstreamFamily;
  readonly response: SandboxResponse;
  /** False if the response is already a refusal, or has no rows. */
  readonly hasData: boolean;
}

const refusing = (refusal: Refusal): SimulatedFault => ({
  respond: ({ family, response }) => family.refuse(refusal, response),
});

/** Changes a response that has data. */
const ofData = (formOf: (family: UpstreamFamily) => UpstreamFamily['empty']): SimulatedFault => ({
  respond: ({ family, response, hasData }) => (hasData ? formOf(family)(response) : response),
});

const FAULTS: Readonly<Record<string, (argument: string) => SimulatedFault | undefined>> = {
  key: () => refusing('unregistered_key'),
  expired: () => refusing('expired_key'),
  'blocked-ip': () => refusing('blocked_ip'),
  quota: () => refusing('quota'),
  html: () => ({ respond: () => htmlResponse('Service under maintenance') }),
  truncate: () => ({
    respond: ({ response }) => ({
      ...response,
      body: response.body.slice(0, response.body.length / 2),
    }),
  }),
  zero: () => ofData(({ empty }) => empty),
  one: () => ofData(({ single }) => single),
  delay: (ms) => (/^\d{1,5}$/.test(ms) ? { delayMs: Number(ms) } : undefined),
  status: (status) =>
    /^[2-5]\d\d$/.test(status)
      ? { respond: () => htmlResponse(`Status ${status}`, Number(status)) }
      : undefined,
};

/** The faults that `parseFault` accepts, for messages. */
export const FAULT_SYNTAX =
  'key, expired, blocked-ip, quota, html, truncate, zero, one, delay:<ms>, status:<number>';

/** Reads a fault such as `quota`, `delay:500` or `status:503`; undefined if it is unknown. */
export function parseFault(text: string): SimulatedFault | undefined {
  const [name = '', argument = ''] = text.split(':');
  return Object.hasOwn(FAULTS, name) ? FAULTS[name]?.(argument) : undefined;
}

export type FaultPlan = ReturnType<typeof createFaultPlan>;

/** The faults that are planned for the next responses. */
export function createFaultPlan() {
  let planned: { fault: SimulatedFault; target: string | undefined; left: number }[] = [];
  return {
    /** Injects a fault into the next `times` responses; `target` is a preset id or a tool name, undefined for all. */
    add(fault: SimulatedFault, target: string | undefined, times: number): void {
      planned.push({ fault, target, left: times });
    },
    /** Removes and returns the oldest fault for a response of this tool. */
    take(presetId: string, toolName: string): SimulatedFault | undefined {
      const next = planned.find(
        ({ target }) => target === undefined || target === presetId || target === toolName,
      );
      if (!next) return undefined;
      next.left--;
      if (next.left === 0) planned = planned.filter((entry) => entry !== next);
      return next.fault;
    },
    clear(): void {
      planned = [];
    },
  };
}
