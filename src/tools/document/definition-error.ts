/** One thing that is wrong with an API description. */
export interface DefinitionIssue {
  readonly file: string;
  /** Line in the file, from 1. */
  readonly line: number;
  /** JSON pointer into the document in its OpenAPI 3.1 form. */
  readonly pointer: string;
  readonly message: string;
}

/** What is kept of a document's issues. Each one costs a search for its line. */
export interface IssueBounds {
  readonly issues: number;
  readonly messageLength: number;
}

const STRANGERS: IssueBounds = { issues: 50, messageLength: 500 };

/** For the operator's own file, whose length is the bound: its author needs every issue, and every name in a list. */
export const ALL_ISSUES: IssueBounds = {
  issues: Number.POSITIVE_INFINITY,
  messageLength: Number.POSITIVE_INFINITY,
};

/** Thrown for an API description that cannot become tools. The message has a line `file:line: reason` per issue. */
export class DefinitionError extends Error {
  readonly issues: readonly DefinitionIssue[];

  constructor(issues: readonly DefinitionIssue[], { messageLength }: IssueBounds = STRANGERS) {
    const cleaned = issues.map((issue) => ({
      ...issue,
      message: oneLine(issue.message, messageLength),
    }));
    super(cleaned.map(({ file, line, message }) => `${file}:${line}: ${message}`).join('\n'));
    this.name = 'DefinitionError';
    this.issues = cleaned;
  }
}

/** A message may quote the document, which can contain any character. */
const oneLine = (message: string, maxLength: number): string => {
  const line = message.replace(/\p{Cc}+/gu, ' ');
  return line.length > maxLength ? `${line.slice(0, maxLength)}...` : line;
};

/** Where compile steps report what is wrong. They all continue, so that an author sees every issue at once. */
export type Report = (pointer: string, message: string) => void;

/** Collects the issues of one file without duplicates. */
export function createIssueList(
  file: string,
  lineOf: (pointer: string) => number,
  bounds: IssueBounds = STRANGERS,
) {
  const issues = new Map<string, DefinitionIssue>();
  return {
    add(pointer: string, message: string): void {
      const key = `${pointer} ${message}`;
      if (issues.size >= bounds.issues || issues.has(key)) return;
      issues.set(key, { file, line: lineOf(pointer), pointer, message });
    },
    /** Throws DefinitionError if any issue was added. */
    throwIfAny(): void {
      if (issues.size > 0) throw new DefinitionError([...issues.values()], bounds);
    },
  };
}
