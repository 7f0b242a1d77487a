import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { cleanText } from '../../tools/compile/clean-text.ts';
import { MAX_TOOL_DESCRIPTION_LENGTH } from './request-bounds.ts';

/** Reads `descriptions`, cleaned as those of documents are; undefined if absent. Whether the tools exist is checked later. */
export function decodeDescriptions(
  value: unknown,
  issues: ArgumentIssue[],
): ReadonlyMap<string, string | null> | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) {
    const message = 'must be an object of tool names and texts.';
    issues.push({ path: '/descriptions', message });
    return undefined;
  }
  const decoded = new Map<string, string | null>();
  for (const [tool, text] of Object.entries(value)) {
    const cleaned = typeof text === 'string' ? cleanText(text, MAX_TOOL_DESCRIPTION_LENGTH) : text;
    const message = issueOf(text, cleaned);
    if (message) issues.push({ path: pointerTo('/descriptions', tool), message });
    else decoded.set(tool, cleaned as string | null);
  }
  return decoded;
}

function issueOf(text: unknown, cleaned: unknown): string | undefined {
  if (text === null) return undefined;
  if (typeof text !== 'string') return 'must be a string, or null for the text of the description.';
  if (text.length > MAX_TOOL_DESCRIPTION_LENGTH) {
    return `must have at most ${MAX_TOOL_DESCRIPTION_LENGTH} characters.`;
  }
  return cleaned === '' ? 'must contain visible text. Send null to remove it.' : undefined;
}
