import { type CatalogEntry, registeredEntries } from '../../src/tools/catalog-entry.ts';
import type { PresetServer, Tool } from '../../src/tools/model.ts';

/** A tool without arguments. */
export const makeTool = (name: string, description = 'Nothing to see.'): Tool => ({
  name,
  title: null,
  description,
  inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
  widePatterns: {},
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  method: 'GET',
  path: `/${name}`,
  baseUrl: 'https://upstream.example',
  parameters: [],
  body: null,
  isPublicData: false,
  alternative: null,
  cacheTtlSeconds: 60,
  stepBack: 0,
  returnsMcpContent: false,
  personal: [],
  payload: {
    items: null,
    total: null,
    success: null,
    itemWrapper: null,
    columns: null,
    asOf: null,
  },
  source: {
    publisher: null,
    dataset: 'Nothing',
    datasetId: null,
    docUrl: null,
    licence: { code: 'unknown', title: null, url: null },
    attribution: null,
    asOf: { kind: 'unknown' },
    missing: [],
  },
  view: { columns: {}, concise: null, pivot: null },
  searchHint: null,
  secrets: [],
  version: `v-${name}-${description}`,
  korean: null,
  quota: null,
  lastGoodSeconds: 0,
});

export const makePreset = (id: string, ...tools: Tool[]): PresetServer => ({
  id,
  category: id.split('/')[0] ?? '',
  filePath: `/presets/${id}.yaml`,
  title: `Title of ${id}`,
  baseUrl: 'https://upstream.example',
  isPublicData: false,
  topic: null,

  tools,
});

/** The tools of a registered API `<tenant>/<slug>` under their own names. */
export function makeApi(
  id: string,
  tools: readonly Tool[],
  { category = 'own' }: Partial<CatalogEntry> = {},
): CatalogEntry[] {
  const [tenantSlug = '', slug = ''] = id.split('/');
  return registeredEntries({
    tenantSlug,
    slug,
    title: `Title of ${id}`,
    category,
    createdAt: '2026-11-20T00:00:00.000Z',
    tools,
    names: tools.map(({ name }) => name),
  });
}

/** Letters that spell a number, so that every number is a distinct word. */
const wordOf = (n: number): string =>
  [...String(n).padStart(6, '0')].map((digit) => 'abcdefghij'[Number(digit)]).join('');

/** Tools with 1,000 words each that no other tool has. */
export const makeWordyTools = (count: number): Tool[] =>
  Array.from({ length: count }, (_, n) =>
    makeTool(`y_${n}`, Array.from({ length: 1000 }, (_, at) => wordOf(1000 * n + at)).join(' ')),
  );
