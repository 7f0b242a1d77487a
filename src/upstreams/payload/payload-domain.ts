import type { JsonDocument } from './json-document.ts';
import type { PublicDataStatus } from './normalise-payload.ts';

/** How the upstreams of a domain of APIs write their payloads. All but `charset` holds for its own tools only. */
export interface PayloadDomain {
  /** Gives a document the envelope that a preset's pointers expect; `first` is the first name of these. */
  readonly alignEnvelope: (document: JsonDocument, first: string | undefined) => JsonDocument;
  /** JSON pointers to result codes, read before and after the one that a preset names. */
  readonly codes: { readonly before: readonly string[]; readonly after: readonly string[] };
  /** Whether a canonical result code means "no data": a success without rows. */
  readonly isNoData: (code: string) => boolean;
  /** Whether a canonical result code reports a failure of the upstream that is expected to pass. */
  readonly isTransient: (code: string) => boolean;
  /** Describes a canonical result code; one that a preset counts as success is one, whatever the code means elsewhere. */
  readonly describeCode: (code: string, isSuccess: boolean) => PublicDataStatus;
  /** For bodies of any upstream. */
  readonly charset: DomainCharset;
}

/** A charset beyond those of Node.js; tried last where none is declared. */
export interface DomainCharset {
  /** Its name in the Encoding Standard. */
  readonly encoding: string;
  /** Names that servers use for it and the Encoding Standard does not list. */
  readonly aliases: RegExp;
  /** The text; null, or U+FFFD if `lossy`, for invalid bytes. */
  readonly decode: (bytes: Buffer, lossy: boolean) => string | null;
}
