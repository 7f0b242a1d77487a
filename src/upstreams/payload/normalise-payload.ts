import type { Deadline } from '../../platform/kernel/deadline.ts';
import type { PayloadShape } from '../../tools/model.ts';
import type { HiddenSecrets } from '../redaction/hidden-secret.ts';

/** What a public-data upstream said of itself (docs/contract.md#call-result). */
export interface PublicDataStatus {
  /** As sent, but 0, 000 and 0000 become 00. */
  readonly code: string;
  /** From the table in docs/contract.md#public-data-middleware. */
  readonly message: string;
  /** Who must do what, where more is known. */
  readonly hint?: string;
}

/** An upstream answer as the caller will see it. */
export interface NormalisedPayload {
  /** Valid JSON, UTF-8; the upstream's own bytes wherever nothing had to change. */
  readonly json: Buffer;
  readonly publicData?: PublicDataStatus;
  /** False when the payload itself says that it failed, whatever the HTTP status was. */
  readonly ok: boolean;
  /** Number of rows at `x-items`, when the shape names them. */
  readonly rows?: number;
}

export interface PayloadInput {
  readonly status: number;
  readonly contentType: string;
  /** Handed over: a large one is empty afterwards. */
  readonly body: Buffer;
  readonly shape: PayloadShape;
  readonly isPublicData: boolean;
  /** A body that still waits for its turn then is not read any more. */
  readonly deadline?: Deadline;
  /** What the payload must not repeat: it is read as if `REDACTED` stood there. */
  readonly hidden?: HiddenSecrets | undefined;
}

/**
 * Implemented by `createPayloadNormaliser`; a promise only where another thread does the work. Throws or rejects with
 * GatewayError `upstream_bad_payload`, and with `overloaded` or `upstream_timeout` where it had to wait.
 */
export type NormalisePayload = (
  input: PayloadInput,
) => NormalisedPayload | Promise<NormalisedPayload>;
