import { cleanText } from './clean-text.ts';
import type { CompilePolicy } from './compile-policy.ts';
import { findInstruction } from './instruction-patterns.ts';

/** Longest example that is kept, as JSON. */
export const MAX_EXAMPLE_LENGTH = 500;
/** Examples that are kept of one schema. */
export const MAX_EXAMPLES = 5;

/** Part of a name or value that is watched. */
const MAX_WATCHED_LENGTH = 2_000;

/** Reads what a document says to people and models. */
export interface TextReader {
  text(text: string, pointer: string, maxLength: number): string;
  examples(examples: readonly unknown[]): readonly unknown[];
  /** Reads a name or value that cannot be changed, because the upstream expects it. */
  watch(value: unknown, pointer: string): void;
}

/** A preset's texts are the operator's and stay unchanged; a stranger's are cleaned, cut and watched. */
export function createTextReader(
  { kind }: CompilePolicy,
  warn: (pointer: string, message: string) => void,
): TextReader {
  if (kind === 'preset') {
    return { text: String, examples: (examples) => examples, watch: () => undefined };
  }
  const watch = (text: string, pointer: string): void => {
    const instruction = findInstruction(text);
    if (instruction !== undefined) warn(pointer, instructs(instruction));
  };
  return {
    text(text, pointer, maxLength) {
      const cleaned = cleanText(text, maxLength);
      if (text.length > maxLength && cleaned.endsWith('…')) warn(pointer, CUT);
      watch(cleaned, pointer);
      return cleaned;
    },
    watch(value, pointer) {
      for (const text of stringsOf(value)) watch(text.slice(0, MAX_WATCHED_LENGTH), pointer);
    },
    examples: (examples) => examples.filter(isHarmless).slice(0, MAX_EXAMPLES),
  };
}

const CUT = 'A text is too long for a model to read with every request. It was cut; shorten it.';

const instructs = (part: string): string =>
  `A text tries to instruct the model ("${part.slice(0, 100)}"). Read it before you use this API.`;

/** Examples are values: one that would have to be cleaned is no example any more. */
function isHarmless(example: unknown): boolean {
  const json = JSON.stringify(example);
  if (json === undefined || json.length > MAX_EXAMPLE_LENGTH) return false;
  return stringsOf(example).every(
    (text) => cleanText(text, MAX_EXAMPLE_LENGTH) === text.trim() && !findInstruction(text),
  );
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...stringsOf(member)]);
}
