import { htmlResponse, type SandboxResponse } from './sandbox-response.ts';
import type { Refusal, UpstreamFamily } from './upstream-family.ts';

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
  zero: () => ({
    respond: ({ family, response, hasData }) => (hasData ? family.empty(response) : response),
  }),
  one: () => ({
    respond: ({ family, response, hasData }) => (hasData ? family.single(response) : response),
  }),
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
