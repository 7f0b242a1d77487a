import { MAX_DOCUMENT_DEPTH } from './document-limits.ts';

/** A description as written: its tree, and the line of each part. */
export interface DocumentSource {
  readonly tree: unknown;
  /** Line (from 1) of the part that these reference tokens name, or of the closest part that contains it. */
  readonly lineOf: (tokens: readonly string[]) => number;
}

/** Thrown for a document that cannot be read, with the line (from 1) of the error. */
export class DocumentSyntaxError extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** An object with the same key on two lines. */
export const keyTwice = (key: string, first: number, second: number): DocumentSyntaxError =>
  new DocumentSyntaxError(
    `The key "${key}" occurs twice: on line ${first} and on line ${second}.`,
    second,
  );

export const TOO_DEEP = `The document is nested deeper than ${MAX_DOCUMENT_DEPTH} levels.`;

export const tooManyValues = (most: number): string =>
  `The document has more than ${most} values, with aliases expanded. Split it.`;
