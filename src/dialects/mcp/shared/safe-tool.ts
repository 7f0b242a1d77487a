import type { CatalogEntry } from '../../../tools/catalog-entry.ts';

/**
 * Whether clients accept a tool. One without a valid name, a description or an object schema would make strict clients
 * reject the whole list.
 */
export const isSafeTool = ({ tool, description }: CatalogEntry): boolean =>
  /^[A-Za-z0-9_.-]{1,128}$/.test(tool.name) &&
  typeof description === 'string' &&
  tool.inputSchema['type'] === 'object';
