import type { Caller, ToolNarrowing } from '../../access/keys/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Toolset, Toolsets } from '../../tools/catalog/toolsets.ts';
import type { RequestFacts } from '../route.ts';

/** Patterns in one address; each is matched against every tool of a list. */
const MAX_PATTERNS = 200;

/** Characters of a value of the address that an error message repeats. */
const MAX_QUOTED = 100;

/** Query parameters that narrow the tools that a client sees and may call. */
const NARROWING_QUERY = {
  category: { type: 'string', description: 'Only tools of this category.' },
  tools: {
    type: 'string',
    description: 'Only these tools: comma-separated names or patterns such as `kma_*`.',
  },
  toolset: { type: 'string', description: 'Only the tools of this named list.' },
} as const;

/** Query parameters of an address for clients: which tools it lists and allows, and the form of results for MCP clients. */
export const ADDRESS_QUERY = {
  ...NARROWING_QUERY,
  mode: {
    type: 'string',
    enum: ['search'],
    description: 'List only the tools that search for the others, describe them and call them.',
  },
  result: {
    type: 'string',
    enum: ['text', 'structured'],
    description: 'Results for MCP clients: the text alone, or with `structuredContent`.',
  },
} as const;

/** What the address may name. */
export interface AddressNames {
  readonly categoriesOf: (caller: Caller) => readonly string[];
  readonly toolsets: Toolsets;
}

/** The caller as the address narrows it: `?category=`, `?tools=`, `?toolset=`, `?mode=`. Throws `invalid_request`. */
export function narrowCaller(
  caller: Caller,
  { category, tools, toolset, mode }: RequestFacts['query'],
  names: AddressNames,
): Caller {
  const searching: Caller = mode === undefined ? caller : { ...caller, searches: knownMode(mode) };
  if (category === undefined && tools === undefined && toolset === undefined) return searching;
  const narrowing: ToolNarrowing = {
    category: category === undefined ? null : knownCategory(category, names.categoriesOf(caller)),
    tools: tools === undefined ? null : patternsOf(tools),
    ...(toolset === undefined ? {} : { toolset: knownToolset(toolset, names.toolsets) }),
  };
  return { ...searching, narrowing };
}

function knownMode(mode: unknown): true {
  if (mode === 'search') return true;
  throw unknown('mode', mode, ['search']);
}

function knownCategory(category: unknown, categories: readonly string[]): string {
  if (typeof category === 'string' && categories.includes(category)) return category;
  throw unknown('category', category, categories);
}

function knownToolset(name: unknown, toolsets: Toolsets): Toolset {
  const toolset = typeof name === 'string' ? toolsets.get(name) : undefined;
  if (toolset) return toolset;
  throw unknown('toolset', name, [...toolsets.keys()]);
}

const unknown = (what: string, value: unknown, available: readonly string[]): GatewayError =>
  new GatewayError(
    'invalid_request',
    `Unknown ${what} ${JSON.stringify(String(value).slice(0, MAX_QUOTED))} in the address. Available: ${available.join(', ') || 'none'}.`,
  );

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
