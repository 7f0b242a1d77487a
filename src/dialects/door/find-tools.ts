import type { CallContext, ToolCall } from '../../calls/tool-call.ts';
import type { OwnToolDeps } from './door-deps.ts';
import type { OwnResponse } from './own-response.ts';
import { DOOR_LIMITS } from './own-tools.ts';
import { briefOf } from './signature.ts';

/** `find_tools`: the tools that the caller may use and that match a query, one line each, best first. */
export async function findTools(
  { listTools }: Pick<OwnToolDeps, 'listTools'>,
  call: ToolCall,
  { caller }: CallContext,
): Promise<OwnResponse> {
  const { query, limit = DOOR_LIMITS.defaultHits } = call.arguments;
  const wanted = { query: String(query), limit: Number(limit) };
  const found = await listTools(caller, wanted);
  const text = found.length === 0 ? NOTHING : found.map(briefOf).join('\n');
  return { tool: call.name, text };
}

const NOTHING = 'No tool matches. Try other or fewer words, in English or Korean.';
