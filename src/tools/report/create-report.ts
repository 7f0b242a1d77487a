import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import type { CompiledDocument } from '../compile/compile-document.ts';
import type { Warning } from '../compile/findings.ts';
import { MAX_TOOL_NAME_LENGTH } from '../document/document-limits.ts';
import type { Tool } from '../model.ts';
import { readTools, scoreOf, type ToolFacts } from './score.ts';

export type ApiReport = ReturnType<typeof createReport>;

/** What a person should know about an API description before its tools are used (docs/openapi-report.md). */
export function createReport({ api, operations, tags, warnings }: CompiledDocument) {
  const tools = readTools(api.tools, operations);
  const scoreParts = scoreOf(tools, operations);
  return {
    /** How well the description serves a model: 0 to 100, the sum of `scoreParts`. */
    score: Object.values(scoreParts).reduce((sum, points) => sum + points, 0),
    scoreParts,
    tools: api.tools.length,
    /** Estimate of the tokens that a list of these tools costs a model with every request. */
    tokens: api.tools.reduce((sum, tool) => sum + tokensOf(tool), 0),
    /** Of all operations of the document, also of those that were not selected; at most 100. */
    tags,
    /** One entry per operation, in the document's order. */
    operations,
    warnings: [...warningsOf(tools), ...warnings],
  };
}

/** Characters per token, roughly as the tokenisers of current models divide JSON and English. */
const ASCII_CHARACTERS_PER_TOKEN = 4;

/**
 * Estimates the tokens that a tool costs in a list, by the JSON of its name, description and input schema: four ASCII
 * characters are one token, and every other character is one.
 */
function tokensOf({ name, description, inputSchema }: Tool): number {
  const json = JSON.stringify({ name, description, inputSchema });
  let others = 0;
  let ascii = 0;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit < 0x80) ascii++;
    // The second half of a surrogate pair belongs to the same character.
    else if ((unit & 0xfc00) !== 0xdc00) others++;
  }
  return Math.ceil(ascii / ASCII_CHARACTERS_PER_TOKEN) + others;
}

/** More tools than this in one list, and some clients refuse it; models choose worse long before. */
export const MANY_TOOLS = 128;

/** What makes a tool harder to use. */
const CHECKS: readonly (readonly [message: string, applies: (tool: ToolFacts) => boolean])[] = [
  [
    `A name has more than ${MAX_TOOL_NAME_LENGTH} characters and was cut. Set a shorter operationId.`,
    ({ hasLongName }) => hasLongName,
  ],
  [
    'An operation has neither description nor summary. Say what it does and when to use it.',
    ({ isDescribed }) => !isDescribed,
  ],
  [
    'An operation has arguments without a description. Describe them.',
    ({ argumentCount, describedArguments }) => describedArguments < argumentCount,
  ],
  [
    'An array has no items. Some model APIs refuse such a tool. Describe its elements.',
    ({ hasOpenArrays }) => hasOpenArrays,
  ],
];

const TOO_MANY = `There are more than ${MANY_TOOLS} tools. Some clients refuse so many. Choose some with include or exclude.`;

/** What makes the tools harder to use, each kind once with its first operation. */
function warningsOf(tools: readonly ToolFacts[]): Warning[] {
  const found = CHECKS.flatMap(([message, applies]) => {
    const [first, ...others] = tools.filter(applies).map(({ outcome }) => outcome);
    if (!first) return [];
    const pointer = pointerTo(pointerTo('/paths', first.path), first.method.toLowerCase());
    return { pointer, message, count: 1 + others.length };
  });
  if (tools.length <= MANY_TOOLS) return found;
  return [{ pointer: '/paths', message: TOO_MANY, count: tools.length }, ...found];
}
