import type { CallEntry, CallTool } from '../../calls/call-tool.ts';
import {
  type ListTools,
  quotedName,
  type ToolListQuery,
  unknownTool,
} from '../../calls/list-tools.ts';
import { argumentReaderOf } from '../../calls/prepare-call.ts';
import { type CallContext, CallFailure, type ToolCall } from '../../calls/tool-call.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError, invalidArguments } from '../../platform/kernel/error.ts';
import { memoizeEach, memoizeLast } from '../../platform/kernel/memo.ts';
import type { CountRefusal } from '../../platform/kernel/refusal.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { byId } from '../../tools/catalog-layer.ts';
import type { PresetServer } from '../../tools/model.ts';
import { resolveNothing } from '../../tools/request/resolve-code.ts';
import { decodeCallParams } from '../json-rpc/decode.ts';
import { type CodeFinder, connectCodes } from './code-finder.ts';
import {
  createGatewayTools,
  GATEWAY_TOOL_LIMITS,
  type GatewayToolName,
  type GatewayTools,
  isGatewayToolName,
  READING_CALL_TOOL,
  topicsOf,
} from './gateway-tools.ts';
import type { CallAnyTool, ManageTools } from './own-response.ts';
import { briefOf, signatureOf } from './signature.ts';

export interface GatewayToolsDeps {
  readonly refused: CountRefusal;
  readonly listTools: ListTools;
  readonly callTool: CallTool;
  /** Calls an entry that is not in the catalog. */
  readonly callEntry: CallEntry;
  readonly find: (caller: Caller, name: string) => CatalogEntry | undefined;
  readonly codes: CodeFinder;
  /** The presets that are loaded. */
  readonly servers: () => readonly PresetServer[];
  /** The tools of callers that manage the gateway. */
  readonly manage: ManageTools;
}

/**
 * The gateway's own tools in front of the catalog: `find_tools`, `describe_tools`, `call_tool` and `find_code`. They are
 * listed for callers that search and in toolsets that name them; `find_code` can be called by every caller.
 */
export function withGatewayTools(deps: GatewayToolsDeps): {
  listTools: ListTools;
  callTool: CallAnyTool;
} {
  const { find, manage } = deps;
  const partsOf = memoizeLast((_kinds: CodeFinder['kinds']) =>
    memoizeLast((servers: readonly PresetServer[]) => createParts(deps, topicsOf(servers))),
  );
  const parts = () => partsOf(deps.codes.kinds)(deps.servers());
  const handlers = createHandlers(deps, () => parts().code);

  /** The gateway's tool that a call means. A tool of the catalog comes before a tool of the gateway that is not listed. */
  function gatewayToolOf(name: string, caller: Caller): GatewayToolName | undefined {
    if (!isGatewayToolName(name)) return undefined;
    if (caller.searches || namesFor(caller).includes(name)) return name;
    return name === 'find_code' && !find(caller, name) ? name : undefined;
  }

  const listTools = ((caller: Caller, query?: ToolListQuery) =>
    caller.manages ? manage.list(caller) : parts().list(caller, query)) as ListTools;

  const callOwn = async (name: GatewayToolName, call: ToolCall, context: CallContext) => {
    try {
      const read = parts().readers[name];
      return await handlers[name](read ? await read(call) : call, context);
    } catch (error) {
      // Own tools have no records; the failure of a tool that they call is no GatewayError.
      const isInvalid = error instanceof GatewayError && error.code === 'invalid_arguments';
      if (isInvalid) deps.refused(context.caller, 'invalid_request');
      throw error;
    }
  };

  return {
    listTools,
    callTool: (call, context) => {
      if (context.caller.manages) return manage.call(call, context.caller);
      const name = gatewayToolOf(call.name, context.caller);
      return name === undefined ? deps.callTool(call, context) : callOwn(name, call, context);
    },
  };
}

/** The own tools that the toolset of a caller names. */
const namesFor = ({ narrowing }: Caller): readonly string[] => narrowing?.toolset?.ownTools ?? [];

/** What each of the gateway's tools does. `codeEntry` is the entry of `find_code`, which is called like a tool of the catalog. */
function createHandlers(
  { refused, listTools, callTool, callEntry, find }: GatewayToolsDeps,
  codeEntry: () => CatalogEntry,
): Readonly<Record<GatewayToolName, CallAnyTool>> {
  const callCode: CallTool = (call, context) => callEntry(codeEntry(), call, context);

  const findAny = (caller: Caller, name: string): CatalogEntry | undefined =>
    find(caller, name) ?? (name === 'find_code' ? codeEntry() : undefined);

  const unknown = (caller: Caller, name: string): GatewayError =>
    unknownTool(name, listTools(caller), 'Search for the right one with find_tools.');

  return {
    async find_tools(call, { caller }) {
      const { query, limit = GATEWAY_TOOL_LIMITS.defaultHits } = call.arguments;
      const found = await listTools(caller, { query: String(query), limit: Number(limit) });
      const text = found.length === 0 ? NOTHING : found.map(briefOf).join('\n');
      return { tool: call.name, text };
    },

    async describe_tools(call, { caller }) {
      const names = call.arguments['names'] as readonly string[];
      const entries = names.map((name) => findAny(caller, name));
      if (!entries.some(Boolean)) {
        refused(caller, 'unknown_tool');
        throw unknown(caller, names[0] ?? '');
      }
      const described = entries.map((entry, at) =>
        entry
          ? signatureOf(entry)
          : `${quotedName(names[at] ?? '')} is not a tool that this key may use.`,
      );
      return { tool: call.name, text: described.join('\n\n') };
    },

    /** Calls the tool that the arguments name, as a call of its own, and rejects like that call. */
    async call_tool(call, context) {
      const { caller } = context;
      const {
        name,
        arguments: args,
        clientId = call.clientId,
      } = decodeCallParams({
        params: call.arguments,
      });
      const entry = findAny(caller, name);
      if (!entry && isGatewayToolName(name))
        throw new GatewayError('invalid_arguments', direct(name));
      const run = entry && !find(caller, name) ? callCode : callTool;
      return run({ ...call, name, arguments: args, clientId }, context).catch((error) => {
        if (entry) throw withSignature(error, entry);
        const isUnknown = error instanceof GatewayError && error.code === 'tool_not_found';
        throw isUnknown ? unknown(caller, name) : error;
      });
    },

    find_code: callCode,
  };
}

const NOTHING = 'No tool matches. Try other or fewer words, in English or Korean.';

const direct = (name: string): string =>
  `call_tool: ${name} cannot be called through call_tool. Call ${name} itself.`;

/** A failure because of invalid arguments, with the signature of the tool. */
function withSignature(thrown: unknown, entry: CatalogEntry): unknown {
  if (!(thrown instanceof CallFailure) || thrown.error.code !== 'invalid_arguments') return thrown;
  const { auditId, tool, error: cause } = thrown;
  const message = `${cause.message}\nSignature:\n${signatureOf(entry)}\n`;
  const described = new GatewayError(cause.code, message, { details: cause.details, cause });
  return new CallFailure(auditId, tool, described);
}

/** What depends on the kinds of codes and the topics, which change with the presets. */
function createParts({ codes, listTools }: GatewayToolsDeps, topics: string) {
  const own = createGatewayTools(codes, topics);
  // `find_code` is called like a tool of the catalog, which reads its arguments.
  const readers: Partial<Record<GatewayToolName, ReadCall>> = {
    find_tools: readerOf(own.find_tools),
    describe_tools: readerOf(own.describe_tools),
    call_tool: readerOf(own.call_tool),
  };
  const code = { ...own.find_code, connection: connectCodes(codes) };
  return { code, readers, list: createList(own, listTools) };
}

/** A call with its arguments as they are meant. Rejects with `invalid_arguments`. */
type ReadCall = (call: ToolCall) => Promise<ToolCall>;

const readerOf =
  ({ tool }: CatalogEntry): ReadCall =>
  async (call) => {
    const { checked, issues } = await argumentReaderOf(tool)(call.arguments, resolveNothing);
    if (issues.length > 0) throw invalidArguments(tool.name, issues);
    return { ...call, arguments: checked };
  };

/**
 * Lists the tools that a caller sees. Without a query the list is sorted by id, and is the same array until something
 * changes. Throws or rejects with `invalid_arguments` for an unknown category.
 */
function createList(own: GatewayTools, listTools: ListTools) {
  const writing = Object.values(own).sort(byId);
  const reading = Object.values({ ...own, call_tool: READING_CALL_TOOL }).sort(byId);
  /** The lists with own tools, by the list without and the names of the own tools. */
  const joinedTo = memoizeEach(
    (_all: readonly CatalogEntry[]) => new Map<string, readonly CatalogEntry[]>(),
  );

  const ownEntries = (all: readonly CatalogEntry[]): readonly CatalogEntry[] =>
    all.every(({ tool }) => tool.annotations.readOnlyHint) ? reading : writing;

  function join(all: readonly CatalogEntry[], names: readonly string[]): readonly CatalogEntry[] {
    const lists = joinedTo(all);
    const key = names.join();
    const known = lists.get(key);
    if (known) return known;
    const added = ownEntries(all).filter(({ tool }) => names.includes(tool.name));
    // A tool of the catalog with the same name is hidden: the own one is called.
    const others = all.filter(({ tool }) => !names.includes(tool.name));
    const list = [...others, ...added].sort(byId);
    lists.set(key, list);
    return list;
  }

  return (caller: Caller, query?: ToolListQuery): Awaitable<readonly CatalogEntry[]> => {
    if (caller.searches) return ownEntries(listTools(caller));
    const names = namesFor(caller);
    const isFiltered = query?.query !== undefined || query?.category !== undefined;
    if (names.length === 0 || isFiltered) return listTools(caller, query);
    const list = join(listTools(caller), names);
    return query?.limit === undefined ? list : list.slice(0, query.limit);
  };
}
