import type { SandboxFile, SandboxResponse } from './sandbox-response.ts';

/** Why an upstream refuses a request before it looks for data. */
export type Refusal =
  | 'unregistered_key'
  | 'expired_key'
  | 'blocked_ip'
  | 'quota'
  | 'unknown_path'
  | { readonly missing: string };

/** How one kind of upstream reports refusals, empty results and single rows. */
export interface UpstreamFamily {
  /** Prefixes of the base addresses that belong to it. */
  readonly addresses: readonly string[];
  /** `sample` is the ordinary response of the tool, for upstreams that refuse in the requested format. */
  refuse(refusal: Refusal, sample: SandboxResponse | undefined): SandboxResponse;
  /** The response without any rows. */
  empty(sample: SandboxResponse): SandboxResponse;
  /** The response with a single row. */
  single(sample: SandboxResponse): SandboxResponse;
  /** A file beside its operations, or why it is refused; undefined if this path is not that of a file. */
  file?(path: string, refusal: Refusal | undefined): SandboxFile | undefined;
}
