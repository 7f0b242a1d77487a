/** What is proposed for a description before it is registered (docs/decisions/0027-proposals.md). */

export type Confidence = 'high' | 'medium' | 'low';

/** An extension for an operation of a description, which is kept beside it. */
export interface ChosenExtension {
  /** `GET /path`; null for the document. */
  readonly operation: string | null;
  readonly extension: string;
  readonly value: unknown;
}

export interface ProposedExtension extends ChosenExtension {
  /** JSON pointer into the description: where the evidence stands. */
  readonly pointer: string;
  /** `high` and `medium` hold unless a person decides otherwise; `low` only if a person chooses it. */
  readonly confidence: Confidence;
  /** What the description says there, quoted. */
  readonly evidence: string;
}

/** Why there is nothing to register. */
export type ProblemCode = 'table_only' | 'link_elsewhere' | 'no_operations' | 'no_host';

export interface ProposalProblem {
  readonly code: ProblemCode;
  readonly message: string;
  /** Where to look instead. */
  readonly url: string | null;
}

/** What the page of a dataset says about it. */
export interface DatasetFacts {
  readonly id: string | null;
  readonly title: string | null;
  readonly publisher: string | null;
  /** The page itself. */
  readonly url: string | null;
  readonly licence: string | null;
  /** Requests a day for each operation. */
  readonly dailyCalls: number | null;
}

export const NO_FACTS: DatasetFacts = {
  id: null,
  title: null,
  publisher: null,
  url: null,
  licence: null,
  dailyCalls: null,
};

/** What a page leads to. */
export type PageReading =
  | { readonly kind: 'description'; readonly text: string; readonly facts: DatasetFacts }
  | { readonly kind: 'address'; readonly url: string; readonly facts: DatasetFacts }
  | { readonly kind: 'problem'; readonly problem: ProposalProblem; readonly facts: DatasetFacts };

/** An operation that a person can choose. */
export interface OfferedOperation {
  /** `GET /path`. */
  readonly operation: string;
  readonly title: string | null;
  /** Arguments that a call needs and for which the description gives no value. */
  readonly asks: readonly AskedArgument[];
}

/** What a person must type for a call, with what the description says about it. */
export interface AskedArgument {
  readonly name: string;
  readonly description: string | null;
  readonly example: string | null;
}

export interface ProposalDraft {
  /** Null for a description that no family recognises: nothing is proposed. */
  readonly family: string | null;
  /** Where the publisher takes its keys, if the description is of an API there: a credential needs no confirmation. */
  readonly hosts: readonly string[];
  /** Where the API is, unless `base_url` says otherwise; null if the description does not say. */
  readonly origin: string | null;
  readonly dataset: DatasetFacts;
  readonly operations: readonly OfferedOperation[];
  readonly proposals: readonly ProposedExtension[];
  readonly problems: readonly ProposalProblem[];
}

/** Descriptions of one publisher, which share forms that the descriptions themselves do not explain. */
export interface ProposalFamily {
  readonly name: string;
  /** Where the publisher itself takes its keys. */
  readonly hosts: readonly string[];
  /** The address of the page of what a person pasted, such as the number of a dataset. */
  readonly pageOf: (text: string) => string | undefined;
  /** Undefined for a page of another publisher. */
  readonly readPage: (html: string, url: string | null) => PageReading | undefined;
  /** Undefined for a description of another publisher. `document` is as it was written: Swagger 2.0 or OpenAPI 3. */
  readonly propose: (document: unknown, facts: DatasetFacts) => ProposalDraft | undefined;
  /** What a response shows to be otherwise than these extensions say. */
  readonly correct: (
    response: unknown,
    extensions: readonly ChosenExtension[],
  ) => readonly ChosenExtension[];
}
