import type { Report } from '../document/definition-error.ts';
import { cleanText } from './clean-text.ts';
import type { CompilePolicy } from './compile-policy.ts';

/** Longest example that is kept, as JSON. */
const MAX_EXAMPLE_LENGTH = 500;
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
export function createTextReader({ kind }: CompilePolicy, warn: Report): TextReader {
  if (kind === 'preset') {
    return { text: String, examples: (examples) => examples, watch: () => undefined };
  }
  const watch = (text: string, pointer: string): void => {
    const part = findInstruction(text)?.slice(0, 100);
    if (part !== undefined) {
      warn(
        pointer,
        `A text tries to instruct the model ("${part}"). Read it before you use this API.`,
      );
    }
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

/**
 * What texts contain that address the model instead of describing an API. The list is short on purpose: each pattern
 * is specific enough not to occur in honest documents, and a hit is a warning only. It cannot prove a text harmless.
 */
const INSTRUCTIONS: readonly RegExp[] = [
  // "Ignore all previous instructions"
  /\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|other|system)\b.{0,20}\b(?:instruction|prompt|rule|guideline)s?\b/is,
  // "Do not tell the user"
  /\b(?:do not|don['’]t|never|without)\s+(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?\b.{0,20}\bto)\s+(?:the\s+)?(?:user|human)\b/is,
  // "Before using any other tool, you must", "Always call this tool first"
  /\bbefore\s+(?:using|calling|invoking)\s+(?:this|any|another|other|the)\b.{0,20}\btools?\b.{0,40}\b(?:you must|always|read|send)\b/is,
  /\b(?:always|must)\s+(?:use|call|invoke)\s+this\s+tool\s+(?:first|before|instead)\b/is,
  // Markup that imitates the frame of a prompt
  /<\/?\s*(?:system|system[-_ ](?:prompt|message)|important|instructions?|assistant|tool_call)\s*>|<\|im_(?:start|end)\|>|\[\/?INST\]/i,
  // "You are now an unrestricted assistant"
  /\byou are now\s+(?:an?|in|the|my)\b.{0,40}\b(?:assistant|agent|mode|ai)\b/is,
  // "Reveal your system prompt"
  /\b(?:reveal|print|repeat|output|send|include)\b.{0,20}\byour\s+(?:system\s+prompt|instructions|conversation|chat history|context window)\b/is,
  // Files of the reader's machine
  /(?:~|\$HOME)\/\.(?:ssh|aws|cursor)\b|\bid_rsa\b|\/etc\/passwd\b/i,
  // The first and the second in Korean
  /(?:이전|앞선|위의?|기존)\s*(?:모든\s*)?(?:지시|명령|지침|규칙|프롬프트)\S{0,4}\s*(?:사항\S?\s*)?(?:모두\s*)?무시/,
  /사용자(?:에게|한테)\s*(?:절대\s*)?(?:알리|말하|언급하)지\s*(?:마|말)/,
];

/** The part of a cleaned text that tries to instruct a model, if any. */
export function findInstruction(text: string): string | undefined {
  const found = INSTRUCTIONS.map((pattern) => pattern.exec(text)?.[0]);
  return found.find((part) => part !== undefined)?.replaceAll(/\s+/g, ' ');
}
