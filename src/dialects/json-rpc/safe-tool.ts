import type { CatalogEntry } from '../../tools/catalog-entry.ts';

/**
 * Whether clients can take a tool. One that has no name of the allowed form, no description or no schema of an object
 * would make them reject the whole list.
 */
export const isSafeTool = ({ tool, description }: CatalogEntry): boolean =>
  /^[A-Za-z0-9_.-]{1,128}$/.test(tool.name) &&
  typeof description === 'string' &&
  tool.inputSchema['type'] === 'object';
