import type { RenderedResult, ResultStyle } from '../../calls/model/render-result.ts';
import type { CallContext, CallOutcome, ToolCall } from '../../calls/tool-call.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';

/** What one of the gateway's own tools answers: a text, without an upstream or an audit record. */
export interface OwnResponse {
  readonly tool: string;
  readonly text: string;
}

/** Runs a tool of the catalog or one of the gateway's own. */
export type CallAnyTool = (
  call: ToolCall,
  context: CallContext,
) => Promise<CallOutcome | OwnResponse>;

export interface ManageTools {
  /** Those that the scope of the key allows, sorted by id. */
  list(caller: Caller): readonly CatalogEntry[];
  /** Rejects with `tool_not_found`, `invalid_arguments` and what the operation rejects with. */
  call(call: ToolCall, caller: Caller): Promise<OwnResponse>;
}

export const isOwnResponse = (answer: CallOutcome | OwnResponse): answer is OwnResponse =>
  'text' in answer;

/** The result as plain callers get it. */
export const plainResponse = ({ tool, text }: OwnResponse): object => ({
  tool,
  outcome: 'ok',
  cause: null,
  upstream: null,
  data: text,
  cacheStatus: 'BYPASS',
  auditId: null,
});

/** The result as MCP clients get it. */
export function renderOwnResponse({ tool, text }: OwnResponse, style: ResultStyle): RenderedResult {
  const block = { type: 'text', text: style === 'json' ? JSON.stringify(text) : text };
  return {
    members: [`"content":${JSON.stringify([block])},"tool":${JSON.stringify(tool)}`],
    meta: '',
  };
}
