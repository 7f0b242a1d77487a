import { isObject, type JsonObject } from '../platform/kernel/plain-json.ts';

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
