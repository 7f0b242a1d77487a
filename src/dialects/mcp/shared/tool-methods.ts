import type { ListTools } from '../../../calls/list-tools.ts';
import {
  type RenderedResult,
  renderFailure,
  renderOutcome,
} from '../../../calls/model/render-result.ts';
import { STRUCTURED_SCHEMA } from '../../../calls/model/structured.ts';
import { whenReady } from '../../../platform/kernel/awaitable.ts';
import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import type { CallAnyTool } from '../../door/door.ts';
import { isOwnResponse, renderOwnResponse } from '../../door/own-response.ts';
import { decodeCallParams } from '../../json-rpc/decode.ts';
import { encodeArray, encodeMembers } from '../../json-rpc/encode.ts';
import { type EncodeEntries, encodeOnce } from '../../json-rpc/encode-once.ts';
import type { RpcId } from '../../json-rpc/json-rpc.ts';
import { type Method, TOOLS_CALL } from '../../json-rpc/methods.ts';
import type { Encoded } from '../../json-rpc/splice.ts';
import { renderingFor, resultStyleOf } from './result-style.ts';
import { isSafeTool } from './safe-tool.ts';
import { decodePageRequest, pageOfTools } from './tool-pages.ts';

export interface ToolMethodDeps {
  readonly listTools: ListTools;
  readonly callTool: CallAnyTool;
  /** Characters of the text of a result. */
  readonly maxCharacters: number;
}

/** How a revision of MCP encodes the results of the methods for tools. */
export interface ToolEncoding {
  readonly toTool: (entry: CatalogEntry) => object;
  /** Further members of a list of tools, each after a comma. */
  readonly listMembers: string;
  /** Further members of the result of a call, each after a comma. `meta` are the members of its `_meta` so far. */
  readonly callMembers: (meta: string) => string;
}

/** `tools/list` and `tools/call`, with their names. */
export const createToolMethods = (
  deps: ToolMethodDeps,
  encoding: ToolEncoding,
): readonly (readonly [string, Method])[] => [
  ['tools/list', createListMethod(deps, encoding)],
  [TOOLS_CALL, createCallMethod(deps, encoding)],
];

function createListMethod({ listTools }: ToolMethodDeps, encoding: ToolEncoding): Method {
  const encodePlain = createToolListEncoder(encoding);
  const encodeStructured = createToolListEncoder({ toTool: withOutputSchema(encoding.toTool) });
  return ({ id, params }, { caller }, { query }) => {
    const style = resultStyleOf(query, caller);
    const encodeToolList = style === 'structured' ? encodeStructured : encodePlain;
    const request = decodePageRequest(params);
    return whenReady(listTools(caller, request.wanted), (all) => {
      const { entries, nextCursor } = pageOfTools(all, request);
      const next = nextCursor === null ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
      const after = `${next}${encoding.listMembers}`;
      return encodeArray(id, 'tools', encodeToolList(entries), after);
    });
  };
}

/** A tool that declares the form of its `structuredContent`; not all of the gateway's own tools have one. */
const withOutputSchema =
  (toTool: ToolEncoding['toTool']): ToolEncoding['toTool'] =>
  (entry) =>
    entry.source === 'gateway'
      ? toTool(entry)
      : { ...toTool(entry), outputSchema: STRUCTURED_SCHEMA };

/** Creates the encoder of lists of tools. */
export const createToolListEncoder = ({ toTool }: Pick<ToolEncoding, 'toTool'>): EncodeEntries =>
  encodeOnce((entry) => (isSafeTool(entry) ? toTool(entry) : undefined));

function createCallMethod(
  { callTool, maxCharacters }: ToolMethodDeps,
  { callMembers }: ToolEncoding,
): Method {
  const encodeCall = (id: RpcId, { members, meta }: RenderedResult): Encoded =>
    encodeMembers(id, members, callMembers(meta));

  return ({ id, params }, context, { cancellation, limited, query }) => {
    const rendering = renderingFor(query, context.caller, maxCharacters);
    const call = decodeCallParams(params);
    if (limited) return encodeCall(id, renderFailure(call.name, limited));
    return callTool({ ...call, shows: 'both', cancellation }, context).then(
      (outcome) =>
        encodeCall(
          id,
          isOwnResponse(outcome) ? renderOwnResponse(outcome) : renderOutcome(outcome, rendering),
        ),
      (error) => encodeCall(id, renderFailure(call.name, error)),
    );
  };
}
