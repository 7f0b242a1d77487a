import type { LinkRows } from '../../../calls/link-rows.ts';
import type { ListTools } from '../../../calls/list-tools.ts';
import {
  type RenderedResult,
  renderFailure,
  renderOutcome,
} from '../../../calls/model/render-result.ts';
import { STRUCTURED_SCHEMA } from '../../../calls/model/structured.ts';
import { whenReady } from '../../../platform/kernel/awaitable.ts';
import type { CallAnyTool } from '../../gateway-tools/own-response.ts';
import { isOwnResponse, renderOwnResponse } from '../../gateway-tools/own-response.ts';
import { decodeCallParams } from '../../json-rpc/decode.ts';
import { encodeArray, encodeMembers, type RpcId } from '../../json-rpc/json-rpc.ts';
import { type Method, TOOLS_CALL } from '../../json-rpc/methods.ts';
import type { Encoded } from '../../json-rpc/splice.ts';
import {
  type McpEncoding,
  renderingFor,
  resultStyleOf,
  type SchemaForm,
  schemaFormOf,
} from './encode.ts';
import { createToolListEncoder, decodePageRequest, pageOfTools } from './tool-pages.ts';

export interface ToolMethodDeps {
  readonly listTools: ListTools;
  readonly callTool: CallAnyTool;
  /** Characters of the text of a result. */
  readonly maxCharacters: number;
  /** Keeps all rows of an answer as a file, for those whose text is cut. */
  readonly linkRows: LinkRows;
  /** What a model should know before it uses the tools. */
  readonly instructions: () => string;
}

/** `tools/list` and `tools/call`, with their names. */
export const createToolMethods = (
  deps: ToolMethodDeps,
  encoding: McpEncoding,
): readonly (readonly [string, Method])[] => [
  ['tools/list', createListMethod(deps, encoding)],
  [TOOLS_CALL, createCallMethod(deps, encoding)],
];

function createListMethod({ listTools }: ToolMethodDeps, { toTool, cached }: McpEncoding): Method {
  /** Not all of the gateway's own tools have `structuredContent`. */
  const toStructuredTool: McpEncoding['toTool'] = (entry, form) =>
    entry.source === 'gateway'
      ? toTool(entry, form)
      : { ...toTool(entry, form), outputSchema: STRUCTURED_SCHEMA };
  const encodersIn = (form: SchemaForm) => ({
    simple: createToolListEncoder({ toTool }, form),
    structured: createToolListEncoder({ toTool: toStructuredTool }, form),
  });
  const encoders = { plain: encodersIn('plain'), wide: encodersIn('wide') };
  const members = JSON.stringify(cached).slice(1, -1);
  const listMembers = members && `,${members}`;
  return ({ id, params }, { caller }, { query }) => {
    const style = resultStyleOf(query, caller);
    const encodeToolList =
      encoders[schemaFormOf(query)][style === 'structured' ? 'structured' : 'simple'];
    const request = decodePageRequest(params);
    return whenReady(listTools(caller, request.wanted), (all) => {
      const { entries, nextCursor } = pageOfTools(all, request);
      const next = nextCursor === null ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
      return encodeArray(id, 'tools', encodeToolList(entries), next + listMembers);
    });
  };
}

function createCallMethod(
  { callTool, maxCharacters, linkRows }: ToolMethodDeps,
  { callMembers }: McpEncoding,
): Method {
  const encodeCall = (id: RpcId, { members, meta }: RenderedResult): Encoded =>
    encodeMembers(id, members, callMembers(meta));

  return (message, context, request) => {
    const { id } = message;
    const { cancellation, limited, onProgress } = request;
    const rendering = renderingFor(request, context.caller, maxCharacters);
    const { style } = rendering;
    const call = decodeCallParams(message);
    if (limited) return encodeCall(id, renderFailure(call.name, limited, style));
    return callTool({ ...call, shows: 'both', cancellation, onProgress }, context).then(
      (outcome) => {
        if (isOwnResponse(outcome)) return encodeCall(id, renderOwnResponse(outcome, style));
        const rendered = renderOutcome(outcome, rendering);
        if (!rendered.isCut || !outcome.rows || outcome.rows.link) return encodeCall(id, rendered);
        return linkRows(outcome, context).then((linked) =>
          encodeCall(id, renderOutcome(linked, rendering)),
        );
      },
      (error) => encodeCall(id, renderFailure(call.name, error, style)),
    );
  };
}
