import type { Cause } from '../../platform/kernel/cause.ts';
import type { Deadline } from '../../platform/kernel/deadline.ts';
import type { PayloadShape } from '../../tools/model.ts';
import type { HiddenSecrets } from '../../tools/tool-connection.ts';

/** The result code of a public-data upstream (docs/contract.md#call-result). */
export interface PublicDataStatus {
  /** As sent, but 0, 000 and 0000 become 00. */
  readonly code: string;
  /** From the table in docs/contract.md#public-data-middleware. */
  readonly message: string;
  /** Who must do what, if known. */
  readonly hint?: string;
}

/** An upstream response as the caller gets it. */
export interface NormalisedPayload {
  /** Valid JSON in UTF-8: the upstream's own bytes, unless they had to be converted. */
  readonly json: Buffer;
  readonly publicData?: PublicDataStatus;
  /** False if the payload reports a failure, regardless of the HTTP status. */
  readonly ok: boolean;
  /** Why the response failed or holds no data; absent if neither its code nor its status says so. */
  readonly cause?: Cause;
  /** Result code of such a response, if it has one. */
  readonly code?: string;
  /** What the provider says about it: one line of at most 300 characters, without secrets. */
  readonly message?: string;
  /** Present if the upstream reports a failure of its own that is expected to pass. */
  readonly isTransient?: true;
  /** Number of rows at `x-items`, if the shape has them. */
  readonly rows?: number;
  /** Number of rows that the upstream has in all, if it reports one. */
  readonly total?: number;
  /** The time to which the data refer, in ISO 8601, if the payload says so (`x-as-of`). */
  readonly asOf?: string;
}

export interface PayloadInput {
  readonly status: number;
  readonly contentType: string;
  /** A large body is transferred to the thread and empty afterwards. */
  readonly body: Buffer;
  readonly shape: PayloadShape;
  readonly isPublicData: boolean;
  /** The arguments of the call, needed for shapes with `filters` only. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** A body that is still queued at the deadline is not read. */
  readonly deadline?: Deadline;
  /** Secrets to redact: the payload is read as if it contained `REDACTED` in their place. */
  readonly hidden?: HiddenSecrets | undefined;
}

/**
 * Implemented by `createPayloadNormaliser`. Returns a promise only if another thread does the work. Throws or rejects with
 * GatewayError `upstream_bad_payload`; a queued body may also fail with `overloaded` or `upstream_timeout`.
 */
export type NormalisePayload = (
  input: PayloadInput,
) => NormalisedPayload | Promise<NormalisedPayload>;
