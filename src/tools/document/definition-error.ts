/** One thing that is wrong with an API description. */
export interface DefinitionIssue {
  readonly file: string;
  /** Line in the file, from 1. */
  readonly line: number;
  /** JSON pointer into the document in its OpenAPI 3.1 form. */
  readonly pointer: string;
  readonly message: string;
}

/** Further issues are dropped: each one costs a search for its line. */
const MAX_ISSUES = 50;
const MAX_MESSAGE_LENGTH = 500;

/** Thrown for an API description that cannot become tools. The message has a line `file:line: reason` per issue. */
export class DefinitionError extends Error {
  readonly issues: readonly DefinitionIssue[];

  constructor(issues: readonly DefinitionIssue[]) {
    const cleaned = issues.map((issue) => ({ ...issue, message: oneLine(issue.message) }));
    super(cleaned.map(({ file, line, message }) => `${file}:${line}: ${message}`).join('\n'));
    this.name = 'DefinitionError';
    this.issues = cleaned;
  }
}

/** A message may quote the document, which can contain any character. */
const oneLine = (message: string): string => {
  const line = message.replace(/\p{Cc}+/gu, ' ');
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH)}...` : line;
};

/** Where compile steps report what is wrong. They all continue, so that an author sees every issue at once. */
export interface IssueSink {
  readonly add: (pointer: string, message: string) => void;
}

/** The issues of a whole document. */
export interface IssueList {
  /** A function defers a message that is costly to build. */
  readonly add: (pointer: string, message: string | (() => string)) => void;
  /** Throws DefinitionError if any issue was added. */
  throwIfAny(): void;
}

/** Collects the issues of one file without duplicates, and passes each new one to `onIssue`. */
export function createIssueList(
  file: string,
  lineOf: (pointer: string) => number,
  onIssue?: (issue: DefinitionIssue) => void,
): IssueList {
  const issues = new Map<string, DefinitionIssue>();
  return {
    add(pointer, text) {
      if (issues.size >= MAX_ISSUES) return;
      const message = typeof text === 'string' ? text : text();
      const key = `${pointer} ${message}`;
      if (issues.has(key)) return;
      const issue = { file, line: lineOf(pointer), pointer, message };
      issues.set(key, issue);
      onIssue?.(issue);
    },
    throwIfAny() {
      if (issues.size > 0) throw new DefinitionError([...issues.values()]);
    },
  };
}
