import {
  MAX_REGISTERED_TOOL_LENGTH,
  MAX_REGISTERED_TOOLS_LENGTH,
} from '../document/document-limits.ts';

/** Counts the characters of one more tool as JSON. Returns what is wrong if it is too large or one too many. */
export type SpendTool = (length: number) => string | undefined;

/** Creates the count of one registered API. Its tools are in the gateway's memory, and each list of tools sends them. */
export function createToolBudget(): SpendTool {
  let lengthInAll = 0;
  return (length) => {
    if (length > MAX_REGISTERED_TOOL_LENGTH) return TOO_LARGE;
    if (lengthInAll + length > MAX_REGISTERED_TOOLS_LENGTH) return TOO_LARGE_IN_ALL;
    lengthInAll += length;
    return undefined;
  };
}

const TOO_LARGE = `The tool would be longer than ${MAX_REGISTERED_TOOL_LENGTH} characters. Shorten its schemas and lists of values.`;
const TOO_LARGE_IN_ALL = `The tools of one API may have ${MAX_REGISTERED_TOOLS_LENGTH} characters together. Choose fewer operations with include, or shorten schemas that several operations use.`;
