import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import type { JsonSchema, ToolAnnotations } from '../../../tools/model.ts';
import { publishedSchema } from '../../../tools/request/published-schema.ts';

/** Members of a listed tool on which clients that search tools rely: how to find it, and whether to load it at once. */
export function toolMeta({ tool, source }: CatalogEntry): { _meta?: object } {
  const meta = {
    ...(tool.searchHint === null ? {} : { 'anthropic/searchHint': tool.searchHint }),
    ...(source === 'gateway' ? { 'anthropic/alwaysLoad': true } : {}),
  };
  return Object.keys(meta).length > 0 ? { _meta: meta } : {};
}

const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/** The annotations of a listed tool. The idempotent methods are those of RFC 9110. */
export const toolAnnotations = ({
  tool: { annotations, method },
}: CatalogEntry): ToolAnnotations & { idempotentHint: boolean } => ({
  ...annotations,
  idempotentHint: annotations.readOnlyHint || IDEMPOTENT.has(method.toUpperCase()),
});

/** The arguments that clients may send, for those that check them first. The gateway's own tools take them as described. */
export const inputSchemaOf = ({ tool, source }: CatalogEntry): JsonSchema =>
  source === 'gateway' ? tool.inputSchema : publishedSchema(tool);
