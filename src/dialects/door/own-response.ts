import type { RenderedResult } from '../../calls/model/render-result.ts';
import type { CallOutcome } from '../../calls/tool-call.ts';

/** What one of the gateway's own tools answers: a text, without an upstream or an audit record. */
export interface OwnResponse {
  readonly tool: string;
  readonly text: string;
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
export const renderOwnResponse = ({ tool, text }: OwnResponse): RenderedResult => ({
  members: [`"content":${JSON.stringify([{ type: 'text', text }])},"tool":${JSON.stringify(tool)}`],
  meta: '',
});
