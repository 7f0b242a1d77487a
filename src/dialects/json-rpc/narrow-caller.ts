import type { Caller, ToolNarrowing } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Toolset, Toolsets } from '../../tools/catalog/toolsets.ts';
import type { RequestFacts } from '../route.ts';

/** Patterns in one address; each is matched against every tool of a list. */
const MAX_PATTERNS = 200;

/** Characters of a value of the address that an error message repeats. */
const MAX_QUOTED = 100;

/**
 * Query parameters of an address for clients: which tools it lists and allows, how it shows them, and the form of results
 * for MCP clients.
 */
export const ADDRESS_QUERY = {
  category: { type: 'string', description: 'Only tools of this category.' },
  tools: {
    type: 'string',
    description: 'Only these tools: comma-separated names or patterns such as `kma_*`.',
  },
  toolset: { type: 'string', description: 'Only the tools of this named list.' },
  mode: {
    type: 'string',
    enum: ['search', 'manage'],
    description:
      '`search`: only the tools that search for the others, describe them and call them. `manage`, for keys with a scope: the tools that manage the gateway.',
  },
  result: {
    type: 'string',
    enum: ['text', 'structured'],
    description: 'Results for MCP clients: the text alone, or with `structuredContent`.',
  },
  schema: {
    type: 'string',
    enum: ['wide'],
    description:
      'Input schemas for MCP clients. `wide`: the whole JSON Schema 2020-12, with the types that calls accept besides.',
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
  const searching = mode === undefined ? caller : inMode(caller, mode);
  if (category === undefined && tools === undefined && toolset === undefined) return searching;
  if (searching.manages) {
    throw new GatewayError(
      'invalid_request',
      'mode=manage cannot be narrowed. Leave the other parameters out.',
    );
  }
  const narrowing: ToolNarrowing = {
    category: category === undefined ? null : knownCategory(category, names.categoriesOf(caller)),
    tools: tools === undefined ? null : patternsOf(tools),
    ...(toolset === undefined ? {} : { toolset: knownToolset(toolset, names.toolsets) }),
  };
  return { ...searching, narrowing };
}

function inMode(caller: Caller, mode: unknown): Caller {
  if (mode === 'search') return { ...caller, searches: true };
  if (mode === 'manage' && caller.authority) return { ...caller, manages: true };
  throw unknown('mode', mode, caller.authority ? ['search', 'manage'] : ['search']);
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
  const patterns = String(tools)
    .split(',')
    .map((pattern) => pattern.trim())
    .filter(Boolean);
  if (patterns.length <= MAX_PATTERNS) return patterns;
  throw new GatewayError(
    'invalid_request',
    `The parameter tools names more than ${MAX_PATTERNS} tools or patterns. Use patterns such as kma_*.`,
  );
}
