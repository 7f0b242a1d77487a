import type { Caller } from '../../access/keys/caller.ts';
import type { ListTools } from '../../calls/list-tools.ts';
import type { CallContext, ToolCall } from '../../calls/tool-call.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { closest } from '../../tools/edit-distance.ts';
import type { OwnToolDeps } from './door-deps.ts';
import type { OwnResponse } from './own-response.ts';
import { signatureOf } from './signature.ts';

/** `describe_tools`: compact signatures. Throws `tool_not_found` if the caller may use none of the tools. */
export async function describeTools(
  deps: Pick<OwnToolDeps, 'findAny' | 'listTools'>,
  call: ToolCall,
  { caller }: CallContext,
): Promise<OwnResponse> {
  const names = call.arguments['names'] as readonly string[];
  const entries = names.map((name) => deps.findAny(caller, name));
  if (entries.every((entry) => entry === undefined)) {
    throw unknownTool(deps.listTools, caller, names[0] ?? '');
  }
  const described = entries.map((entry, at) =>
    entry ? signatureOf(entry) : `${quoted(names[at] ?? '')} is not a tool that this key may use.`,
  );
  return { tool: call.name, text: described.join('\n\n') };
}

/** `tool_not_found` for a tool that does not exist or that the caller may not use, with what to do next. */
export function unknownTool(listTools: ListTools, caller: Caller, name: string): GatewayError {
  const similar = closest(
    name,
    listTools(caller).map(({ tool }) => tool.name),
  );
  const next = similar ? `Did you mean ${similar}?` : 'Search for the right one with find_tools.';
  return new GatewayError('tool_not_found', `Unknown tool ${quoted(name)}. ${next}`);
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, 100));
