import type { Caller, ToolNarrowing } from '../../access/keys/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { RequestFacts } from '../route.ts';

/** Patterns in one address; each is matched against every tool of a list. */
const MAX_PATTERNS = 200;

/** Query parameters that narrow the tools that a client sees and may call. */
const NARROWING_QUERY = {
  category: { type: 'string', description: 'Only tools of this category.' },
  tools: {
    type: 'string',
    description: 'Only these tools: comma-separated names or patterns such as `kma_*`.',
  },
} as const;

/** Query parameters of an address for clients: what narrows the tools, and the form of results for MCP clients. */
export const ADDRESS_QUERY = {
  ...NARROWING_QUERY,
  result: {
    type: 'string',
    enum: ['text', 'structured'],
    description: 'Results for MCP clients: the text alone, or with `structuredContent`.',
  },
} as const;

/** The caller, narrowed by `?category=`, which must be one of `categoriesOf`, and `?tools=`. Throws `invalid_request`. */
export function narrowCaller(
  caller: Caller,
  query: RequestFacts['query'],
  categoriesOf: (caller: Caller) => readonly string[],
): Caller {
  const { category, tools } = query;
  if (category === undefined && tools === undefined) return caller;
  const narrowing: ToolNarrowing = {
    category: category === undefined ? null : knownCategory(category, categoriesOf(caller)),
    tools: tools === undefined ? null : patternsOf(tools),
  };
  return { ...caller, narrowing };
}

function knownCategory(category: unknown, categories: readonly string[]): string {
  if (typeof category === 'string' && categories.includes(category)) return category;
  throw new GatewayError(
    'invalid_request',
    `Unknown category ${JSON.stringify(String(category).slice(0, 100))} in the address. Available: ${categories.join(', ')}.`,
  );
}

/** A repeated parameter counts as one list. */
function patternsOf(tools: unknown): string[] {
  const patterns = [tools]
    .flat()
    .flatMap((list) => String(list).split(','))
    .map((pattern) => pattern.trim())
    .filter(Boolean);
  if (patterns.length <= MAX_PATTERNS) return patterns;
  throw new GatewayError(
    'invalid_request',
    `The parameter tools names more than ${MAX_PATTERNS} tools or patterns. Use patterns such as kma_*.`,
  );
}
