import type { Caller } from '../../access/keys/caller.ts';
import type { ListTools, ToolListQuery } from '../../calls/list-tools.ts';
import type { CallContext, CallOutcome, ToolCall } from '../../calls/tool-call.ts';
import { forLast } from '../../platform/kernel/for-last.ts';
import { invalidArguments } from '../../platform/kernel/invalid-arguments.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { createArgumentValidator } from '../../tools/request/argument-validator.ts';
import { callInner } from './call-inner.ts';
import { connectCodes } from './code-finder.ts';
import { describeTools } from './describe-tools.ts';
import type { DoorDeps, OwnToolDeps } from './door-deps.ts';
import { findTools } from './find-tools.ts';
import { createOwnLists, type OwnLists } from './own-lists.ts';
import type { OwnResponse } from './own-response.ts';
import { createOwnTools, isOwnToolName, type OwnToolName } from './own-tools.ts';

/** Runs a tool of the catalog or one of the gateway's own. */
export type CallAnyTool = (
  call: ToolCall,
  context: CallContext,
) => Promise<CallOutcome | OwnResponse>;

type OwnHandler = (
  deps: OwnToolDeps,
  call: ToolCall,
  context: CallContext,
) => Promise<CallOutcome | OwnResponse>;

const HANDLERS: Readonly<Record<OwnToolName, OwnHandler>> = {
  find_tools: findTools,
  describe_tools: describeTools,
  call_tool: callInner,
  find_code: ({ callCode }, call, context) => callCode(call, context),
};

/**
 * The gateway's own tools in front of the catalog: `find_tools`, `describe_tools`, `call_tool` and `find_code`. They are
 * listed for callers that search and in toolsets that name them; `find_code` can be called by every caller.
 */
export function createDoor(deps: DoorDeps): { listTools: ListTools; callTool: CallAnyTool } {
  const partsOf = forLast(() => createParts(deps));
  const parts = () => partsOf(deps.codes.kinds);
  const ownDeps: OwnToolDeps = {
    ...deps,
    callCode: (call, context) => deps.callEntry(parts().code, call, context),
    findAny: (caller, name) =>
      deps.find(caller, name) ?? (name === parts().code.tool.name ? parts().code : undefined),
  };

  /** The own tool that a call means. A tool of the catalog comes before an own one that is not listed. */
  function ownToolOf(name: string, caller: Caller): OwnToolName | undefined {
    if (!isOwnToolName(name)) return undefined;
    if (parts().lists.isListed(caller, name)) return name;
    return name === 'find_code' && !deps.find(caller, name) ? name : undefined;
  }

  function listTools(caller: Caller): readonly CatalogEntry[];
  function listTools(
    caller: Caller,
    query: ToolListQuery | undefined,
  ): ReturnType<OwnLists['list']>;
  function listTools(caller: Caller, query?: ToolListQuery) {
    return parts().lists.list(caller, query);
  }

  const callOwn = async (name: OwnToolName, call: ToolCall, context: CallContext) => {
    parts().checks[name]?.(call);
    return HANDLERS[name](ownDeps, call, context);
  };

  return {
    listTools,
    callTool: (call, context) => {
      const name = ownToolOf(call.name, context.caller);
      return name === undefined ? deps.callTool(call, context) : callOwn(name, call, context);
    },
  };
}

/** What depends on the kinds of codes, which change with the presets. */
function createParts({ codes, listTools }: Pick<DoorDeps, 'codes' | 'listTools'>) {
  const own = createOwnTools(codes);
  // `find_code` is checked like a tool of the catalog.
  const checks: Partial<Record<OwnToolName, (call: ToolCall) => void>> = {
    find_tools: checkOf(own.find_tools),
    describe_tools: checkOf(own.describe_tools),
    call_tool: checkOf(own.call_tool),
  };
  const code = { ...own.find_code, connection: connectCodes(codes) };
  return { code, checks, lists: createOwnLists(own, listTools) };
}

/** The check of an own tool's arguments, which throws `invalid_arguments`. */
function checkOf({ tool }: CatalogEntry): (call: ToolCall) => void {
  let validate: ReturnType<typeof createArgumentValidator> | undefined;
  return (call) => {
    validate ??= createArgumentValidator(tool);
    const issues = validate({ ...call.arguments });
    if (issues.length > 0) throw invalidArguments(tool.name, issues);
  };
}
