/** One thing that is wrong with an API description. */
export interface DefinitionFault {
  readonly file: string;
  /** Line in the file, from 1. */
  readonly line: number;
  /** JSON pointer into the document, as OpenAPI 3.1. */
  readonly pointer: string;
  readonly message: string;
}

/** More faults than these are cut off: nobody reads them, and each costs a search for its line. */
const MAX_FAULTS = 50;
const MAX_MESSAGE_LENGTH = 500;

/** Thrown for an API description that cannot become tools; the message has one `file:line: reason` per fault. */
export class DefinitionError extends Error {
  readonly faults: readonly DefinitionFault[];

  constructor(faults: readonly DefinitionFault[]) {
    const cleaned = faults.map((fault) => ({ ...fault, message: oneLine(fault.message) }));
    super(cleaned.map(({ file, line, message }) => `${file}:${line}: ${message}`).join('\n'));
    this.name = 'DefinitionError';
    this.faults = cleaned;
  }
}

/** A message quotes the document, which may contain anything. */
const oneLine = (message: string): string => {
  const line = message.replace(/\p{Cc}+/gu, ' ');
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH)}...` : line;
};

/** Where compile steps report what is wrong; all of them go on, so that an author sees every fault at once. */
export interface FaultList {
  /** A message that is costly to make may be given as a function. */
  add(pointer: string, message: string | (() => string)): void;
  /** Throws DefinitionError when anything was added. */
  throwIfAny(): void;
}

/** Collects faults of one file, each place and reason once; `onFault` is told of each as it comes. */
export function createFaultList(
  file: string,
  lineOf: (pointer: string) => number,
  onFault?: (fault: DefinitionFault) => void,
): FaultList {
  const faults = new Map<string, DefinitionFault>();
  return {
    add(pointer, text) {
      if (faults.size >= MAX_FAULTS) return;
      const message = typeof text === 'string' ? text : text();
      const key = `${pointer} ${message}`;
      if (faults.has(key)) return;
      const fault = { file, line: lineOf(pointer), pointer, message };
      faults.set(key, fault);
      onFault?.(fault);
    },
    throwIfAny() {
      if (faults.size > 0) throw new DefinitionError([...faults.values()]);
    },
  };
}
