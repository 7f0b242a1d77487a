import type { Cause } from '../../platform/kernel/cause.ts';
import type { JsonDocument } from '../../platform/kernel/json-document.ts';
import type { PublicDataStatus } from './upstream-response.ts';

/** How the upstreams of a domain of APIs write their payloads. All but `charset` holds for its own tools only. */
export interface PayloadDomain {
  /** Gives a document the envelope that a preset's pointers expect; `first` is the first name of these. */
  readonly alignEnvelope: (document: JsonDocument, first: string | undefined) => JsonDocument;
  /** JSON pointers to result codes, read before and after those that a preset names. */
  readonly codes: Pointers;
  /** JSON pointers to the provider's own message, in the same order. Those before are found in refusals only. */
  readonly messages: Pointers;
  /** Names of root elements, without a prefix. The prefixes of all names in such an XML document are removed. */
  readonly envelopes: ReadonlySet<string>;
  /** The result code that the text of a refusal without a code names. */
  readonly codeOfText: (text: string) => string | undefined;
  /** The result code that a response means by a code and a text, where the code alone says less. */
  readonly meantCode: (code: string, text: string) => string;
  /** What a canonical result code, or a plain text in place of a payload, says about a failure. */
  readonly causeOf: (code: string) => Cause | undefined;
  /** What a status says about a failure without a code, if it says more than elsewhere. */
  readonly causeOfStatus: (status: number) => Cause | undefined;
  /** Whether a canonical result code means "no data": a success without rows. */
  readonly isNoData: (code: string) => boolean;
  /** Whether a canonical result code reports a failure of the upstream that is expected to pass. */
  readonly isTransient: (code: string) => boolean;
  /** Describes a canonical result code; one that a preset counts as success is one, whatever the code means elsewhere. */
  readonly describeCode: (code: string, isSuccess: boolean) => PublicDataStatus;
  /** For bodies of any upstream. */
  readonly charset: DomainCharset;
}

interface Pointers {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** A charset that Node.js does not have; tried last where none is declared. */
export interface DomainCharset {
  /** Its name in the Encoding Standard. */
  readonly encoding: string;
  /** Names that servers use for it and the Encoding Standard does not list. */
  readonly aliases: RegExp;
  /** The text; null, or U+FFFD if `lossy`, for invalid bytes. */
  readonly decode: (bytes: Buffer, lossy: boolean) => string | null;
}
