import { GatewayError } from '../../platform/kernel/error.ts';
import { encodeResult } from '../encode-result.ts';
import { encodeUpstream } from '../encode-upstream.ts';
import { type OwnContent, readOwnContent } from '../own-content.ts';
import { CallFailure, type CallOutcome } from '../tool-call.ts';
import { answerHead, answerLiteral } from './answer-text.ts';
import { failureText } from './failure-text.ts';
import { encodeStructured } from './structured.ts';

/** JSON text in pieces; those of the payload are never copied here. */
type Pieces = readonly (string | Buffer)[];

/** A tool's result as models read it (MCP `CallToolResult`), in pieces that a dialect joins. */
export interface RenderedResult {
  /** Members of the result without `_meta`, separated by commas. */
  readonly members: Pieces;
  /** Members of `_meta`, for clients that drop the members they do not know. */
  readonly meta: string;
}

/**
 * What a result has besides the text for the model: `full`, the members of the plain result; `structured`, the same with
 * `structuredContent`; `text`, nothing.
 */
export type ResultStyle = 'full' | 'text' | 'structured';

/** How results are rendered. */
export interface Rendering {
  readonly style: ResultStyle;
  /** Characters of the text, and of the rows of `structuredContent`. `data` is complete. */
  readonly maxCharacters: number;
}

/** Renders an outcome as one text for the model, with what the style adds. */
export function renderOutcome(outcome: CallOutcome, rendering: Rendering): RenderedResult {
  const { cacheStatus, auditId } = outcome;
  const content = contentOf(outcome, rendering);
  const meta = `"toolgateway/auditId":"${auditId}","toolgateway/cacheStatus":"${cacheStatus}"`;
  if (rendering.style !== 'full') return { members: content, meta };
  return {
    members: [...content, ',', ...encodeResult(outcome)],
    meta: `${meta},"toolgateway/upstream":${encodeUpstream(outcome)}`,
  };
}

/**
 * Renders a failed call as a result, since a model sees results but no errors. Rethrows `tool_not_found`, which is an
 * error in MCP. Contains `auditId` if a record was written.
 */
export function renderFailure(tool: string, thrown: unknown): RenderedResult {
  if (thrown instanceof GatewayError && thrown.code === 'tool_not_found') throw thrown;
  const content = JSON.stringify([textBlock(`${failureText(tool, thrown)}\n`)]);
  const auditId = thrown instanceof CallFailure ? thrown.auditId : null;
  return {
    members: [
      `"content":${content},"isError":true,"tool":${JSON.stringify(tool)}`,
      auditId ? `,"auditId":"${auditId}"` : '',
    ],
    meta: auditId ? `"toolgateway/auditId":"${auditId}"` : '',
  };
}

const textBlock = (text: string) => ({ type: 'text', text });

/** `content`, with `isError` for a failure and `structuredContent` where it was asked for. */
function contentOf(outcome: CallOutcome, { style, maxCharacters }: Rendering): Pieces {
  const { json: data } = outcome.response;
  const own = outcome.entry.tool.answersContent ? readOwnContent(data) : null;
  if (own) return [encodeOwnContent(own, outcome.isError)];
  const media = readMedia(data);
  const content = media
    ? [JSON.stringify([textBlock(answerHead(outcome)), media])]
    : ['[{"type":"text","text":', ...answerLiteral(outcome, maxCharacters), '}]'];
  const mark = errorMark(outcome.isError);
  const structured =
    style === 'structured'
      ? [',"structuredContent":', ...encodeStructured(outcome, maxCharacters)]
      : [];
  return ['"content":', ...content, mark, ...structured];
}

const errorMark = (isError: boolean): string => (isError ? ',"isError":true' : '');

const startsWith = (data: Buffer, text: string): boolean =>
  data.length > text.length && data.toString('latin1', 0, text.length) === text;

/** The content block of an image or audio payload, which is in base64. */
function readMedia(data: Buffer): object | null {
  if (!startsWith(data, '{"contentType":"')) return null;
  const { contentType, base64 } = JSON.parse(data.toString());
  const mimeType = String(contentType).split(';')[0] ?? '';
  const kind = /^(image|audio)\//.exec(mimeType)?.[1];
  return kind && typeof base64 === 'string' ? { type: kind, data: base64, mimeType } : null;
}

function encodeOwnContent({ content, structuredContent, isError }: OwnContent, failed: boolean) {
  const structured = structuredContent
    ? `,"structuredContent":${JSON.stringify(structuredContent)}`
    : '';
  return `"content":${JSON.stringify(content)}${structured}${errorMark(failed || isError)}`;
}
