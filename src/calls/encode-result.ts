import { isObject, type JsonObject } from '../platform/kernel/plain-json.ts';
import { encodeProvenance } from './provenance.ts';
import type { CallOutcome } from './tool-call.ts';

/** MCP content that an upstream sent (`x-mcp-content`). */
export interface McpContent {
  readonly content: readonly unknown[];
  readonly structuredContent: JsonObject | null;
  /** Whether the upstream says that its tool failed. */
  readonly isError: boolean;
}

const BLOCK_TYPES: ReadonlySet<unknown> = new Set([
  'text',
  'image',
  'audio',
  'resource',
  'resource_link',
]);

/** Reads the JSON of a payload; null if it is not MCP content. */
export function readOwnContent(json: Buffer): McpContent | null {
  const { content, structuredContent, isError } = JSON.parse(json.toString()) ?? {};
  if (!Array.isArray(content) || !content.every((block) => BLOCK_TYPES.has(block?.type)))
    return null;
  return {
    content,
    structuredContent: isObject(structuredContent) ? structuredContent : null,
    isError: isError === true,
  };
}

/** The members of a call result (docs/contract.md#call-result), in pieces; the bytes of `data` are not copied. */
export function encodeResult(outcome: CallOutcome): (string | Buffer)[] {
  const { entry, response, range, kind, cause, cacheStatus, auditId, provenance } = outcome;
  const rows = rowsOf(outcome);
  const { publicData, json, retryAfterSeconds } = response;
  const named = { tool: entry.tool.name, outcome: kind, cause };
  const judged = retryAfterSeconds === undefined ? named : { ...named, retryAfterSeconds };
  const counted = rows ? { ...judged, rows } : judged;
  const first = JSON.stringify(range ? { ...counted, ...range } : counted).slice(1, -1);
  const [source, facts] = encodeProvenance(provenance);
  const said = publicData ? `,"publicData":${JSON.stringify(publicData)}` : '';
  return [
    `${first},"provenance":`,
    source,
    `${facts},"upstream":${encodeUpstream(outcome)},"data":`,
    json,
    `${said},"cacheStatus":"${cacheStatus}","auditId":"${auditId}"`,
  ];
}

/** The number of rows, with where they were found; a hint alone if rows were asked for and none are certain. */
const rowsOf = ({ rows, response: { found }, unreduced }: CallOutcome): object | undefined => {
  if (rows) return found ? { ...rows, found } : rows;
  return unreduced === undefined ? undefined : { hint: unreduced };
};

/** Encodes `upstream` of a result: the request, without secrets, the response's status and the addresses that it names; null without an upstream. */
export function encodeUpstream({ entry, response }: CallOutcome): string {
  if (entry.source === 'gateway') return 'null';
  const { url, status, links } = response;
  const exchange = { method: entry.tool.method, url, status };
  return JSON.stringify(links ? { ...exchange, ...links } : exchange);
}
