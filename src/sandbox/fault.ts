import { htmlResponse, type SandboxResponse } from './sandbox-response.ts';
import type { Refusal, UpstreamFamily } from './upstream-family.ts';

/** One way in which an imitated upstream misbehaves. */
export interface SimulatedFault {
  /** Wait before the answer, in milliseconds. */
  readonly delayMs?: number;
  /** What is sent; absent: the ordinary answer. */
  readonly answer?: (ordinary: OrdinaryResponse) => SandboxResponse;
}

/** What would be sent without a fault, and what a fault may need to say it differently. */
export interface OrdinaryResponse {
  readonly family: UpstreamFamily;
  readonly answer: SandboxResponse;
  /** False when the answer is a refusal already. */
  readonly ok: boolean;
}

const refusing = (refusal: Refusal): SimulatedFault => ({
  answer: ({ family, answer }) => family.refuse(refusal, answer),
});

const FAULTS: Readonly<Record<string, (argument: string) => SimulatedFault | undefined>> = {
  key: () => refusing('unregistered_key'),
  expired: () => refusing('expired_key'),
  'blocked-ip': () => refusing('blocked_ip'),
  quota: () => refusing('quota'),
  html: () => ({ answer: () => htmlResponse('Service under maintenance') }),
  truncate: () => ({
    answer: ({ answer }) => ({ ...answer, body: answer.body.slice(0, answer.body.length / 2) }),
  }),
  zero: () => ({ answer: ({ family, answer, ok }) => (ok ? family.empty(answer) : answer) }),
  one: () => ({ answer: ({ family, answer, ok }) => (ok ? family.single(answer) : answer) }),
  delay: (ms) => (/^\d{1,5}$/.test(ms) ? { delayMs: Number(ms) } : undefined),
  status: (status) =>
    /^[2-5]\d\d$/.test(status)
      ? { answer: () => htmlResponse(`Status ${status}`, Number(status)) }
      : undefined,
};

/** The words `parseFault` knows, for explanations. */
export const FAULT_WORDS =
  'key, expired, blocked-ip, quota, html, truncate, zero, one, delay:<ms>, status:<number>';

/** Reads `quota`, `delay:500`, `status:503` ...; undefined for anything else. */
export function parseFault(text: string): SimulatedFault | undefined {
  const [name = '', argument = ''] = text.split(':');
  return Object.hasOwn(FAULTS, name) ? FAULTS[name]?.(argument) : undefined;
}
