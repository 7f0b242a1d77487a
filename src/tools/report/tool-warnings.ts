import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import type { OperationOutcome } from '../compile/compile-outcome.ts';
import type { Warning } from '../compile/warning-list.ts';
import { MAX_TOOL_NAME_LENGTH } from '../document/document-limits.ts';
import type { ToolFacts } from './read-tools.ts';

/** More tools than this in one list, and some clients refuse it; models choose worse long before. */
export const MANY_TOOLS = 128;

interface Check {
  readonly applies: (tool: ToolFacts) => boolean;
  readonly message: string;
}

const CHECKS: readonly Check[] = [
  {
    applies: ({ hasLongName }) => hasLongName,
    message: `A name has more than ${MAX_TOOL_NAME_LENGTH} characters and was cut. Set a shorter operationId.`,
  },
  {
    applies: ({ isDescribed }) => !isDescribed,
    message:
      'An operation has neither description nor summary. Say what it does and when to use it.',
  },
  {
    applies: ({ argumentCount, describedArguments }) => describedArguments < argumentCount,
    message: 'An operation has arguments without a description. Describe them.',
  },
  {
    applies: ({ hasOpenArrays }) => hasOpenArrays,
    message: 'An array has no items. Some model APIs refuse such a tool. Describe its elements.',
  },
];

/** What makes the tools harder to use, each kind once with its first operation. */
export function warningsOf(tools: readonly ToolFacts[]): Warning[] {
  const found = CHECKS.flatMap(({ applies, message }) => {
    const matches = tools.filter(applies);
    const [first] = matches;
    return first ? [{ pointer: placeOf(first.outcome), message, count: matches.length }] : [];
  });
  return tools.length > MANY_TOOLS ? [tooMany(tools.length), ...found] : found;
}

const placeOf = ({ method, path }: OperationOutcome): string =>
  pointerTo(pointerTo('/paths', path), method.toLowerCase());

const tooMany = (count: number): Warning => ({
  pointer: '/paths',
  message: `There are more than ${MANY_TOOLS} tools. Some clients refuse so many. Choose some with include or exclude.`,
  count,
});
