import type { ToolReadiness } from '../../calls/provider-keys/tool-readiness.ts';
import { count } from '../shared/count.ts';

/** Keys that are named; presets may need any number of them. */
const MAX_NAMED = 12;
const MAX_WIDTH = 96;

/** Which tools are ready, what the others wait for, and where to get the most useful key. No lines if every tool is ready. */
export function describeReadiness({ tools, ready, missing }: ToolReadiness): readonly string[] {
  const [first] = missing;
  if (!first) return [];
  const waiting = tools - ready;
  const named = missing.slice(0, MAX_NAMED).map((key) => `${key.name} (${key.tools})`);
  const others = missing.length - named.length;
  const list = others > 0 ? [...named, `and ${others} more`] : named;
  return [
    `${ready} of ${count(tools, 'tool')} ${ready === 1 ? 'is' : 'are'} ready; ${waiting} ${waiting === 1 ? 'waits' : 'wait'} for ${missing.length === 1 ? 'this key' : `these ${missing.length} keys`}:`,
    ...wrap(list),
    ...(first.url ? [`Get ${first.name} at ${first.url}`] : []),
    'Set keys in the environment, with --env-file, or in the dashboard, which links the page of each.',
  ];
}

function wrap(items: readonly string[]): string[] {
  const lines: string[] = [];
  for (const [index, item] of items.entries()) {
    const text = index < items.length - 1 ? `${item},` : item;
    const last = lines.at(-1);
    if (last !== undefined && last.length + text.length < MAX_WIDTH) {
      lines[lines.length - 1] = `${last} ${text}`;
    } else lines.push(text);
  }
  return lines;
}
