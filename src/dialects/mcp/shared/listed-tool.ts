import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import { publishedSchema, wideSchema } from '../../../tools/request/published-schema.ts';
import { type EncodeEntries, encodeOnce } from '../../json-rpc/encode-once.ts';
import type { McpEncoding, SchemaForm } from './encode.ts';

/** Idempotent methods (RFC 9110). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

const SCHEMAS: Readonly<Record<SchemaForm, typeof publishedSchema>> = {
  plain: publishedSchema,
  wide: wideSchema,
};

/** `Tool` as MCP clients get it in a list. */
export function toListedTool({ tool, description, source }: CatalogEntry, form: SchemaForm) {
  const { name, annotations, searchHint } = tool;
  const isOwn = source === 'gateway';
  /** On which clients that search tools rely: how to find it, and whether to load it at once. */
  const meta = {
    ...(searchHint === null ? {} : { 'anthropic/searchHint': searchHint }),
    ...(isOwn ? { 'anthropic/alwaysLoad': true } : {}),
  };
  return {
    name,
    title: tool.title ?? name,
    description,
    inputSchema: SCHEMAS[form](tool),
    annotations: {
      ...annotations,
      idempotentHint: annotations.readOnlyHint || IDEMPOTENT.has(tool.method.toUpperCase()),
    },
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
  };
}

export const createToolListEncoder = (
  { toTool }: Pick<McpEncoding, 'toTool'>,
  form: SchemaForm,
): EncodeEntries => encodeOnce((entry) => (isSafeTool(entry) ? toTool(entry, form) : undefined));

/**
 * Whether clients accept a tool. One without a valid name, a description or an object schema would make strict clients
 * reject the whole list.
 */
const isSafeTool = ({ tool, description }: CatalogEntry): boolean =>
  /^[A-Za-z0-9_.-]{1,128}$/.test(tool.name) &&
  typeof description === 'string' &&
  tool.inputSchema['type'] === 'object';
