import type { SandboxResponse } from './sandbox-response.ts';

/** Why an upstream says no before it looks for data. */
export type Refusal =
  | 'unregistered_key'
  | 'expired_key'
  | 'blocked_ip'
  | 'quota'
  | 'unknown_path'
  | { readonly missing: string };

/** How one kind of upstream words what is not an ordinary answer. */
export interface UpstreamFamily {
  /** Beginnings of the base addresses that belong to it. */
  readonly addresses: readonly string[];
  /** `sample` is the tool's ordinary answer, for upstreams that refuse in the format that was asked for. */
  refuse(refusal: Refusal, sample: SandboxResponse | undefined): SandboxResponse;
  /** The answer when nothing matched. */
  empty(sample: SandboxResponse): SandboxResponse;
  /** The answer with a single row. */
  single(sample: SandboxResponse): SandboxResponse;
}
