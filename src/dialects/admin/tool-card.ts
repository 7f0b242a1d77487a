import type { CatalogEntry } from '../../tools/catalog-entry.ts';

/** Characters of a description in a list. */
const MAX_SUMMARY = 280;

/** A tool in a list. */
export const toToolCard = ({ tool, server, category, source, visibility }: CatalogEntry) => ({
  name: tool.name,
  title: tool.title,
  summary: cut(tool.description),
  category,
  server,
  source,
  visibility,
  needsSecret: tool.secrets.length > 0,
});

const cut = (text: string): string =>
  text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY).replace(/\s+\S*$/, '')} …` : text;
