/** A description as written: its tree, and where each part of it stands. */
export interface DocumentSource {
  readonly tree: unknown;
  /** Line (from 1) of the part that these reference tokens name, or of the nearest part around it. */
  readonly lineOf: (tokens: readonly string[]) => number;
}

/** Thrown while a text is read, with the line (from 1) of what is wrong. */
export class SourceFault extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}
