import { memoizeEach } from '../../platform/kernel/memo.ts';
import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';
import type { CatalogEntry } from '../catalog-entry.ts';
import type { ColumnFacts, KoreanTexts, PresetServer, Tool } from '../model.ts';

/** Languages in which tools are described to people. */
export const LANGUAGES = ['en', 'ko'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A tool as it is described in a language: what has no text in it stays as it is. */
export const inLanguage = (entry: CatalogEntry, language: Language = 'en'): CatalogEntry =>
  language === 'ko' ? inKorean(entry) : entry;

/** The same for a server, with its tools. */
export const serverInLanguage = (server: PresetServer, language: Language = 'en'): PresetServer =>
  language === 'ko' ? serverInKorean(server) : server;

const serverInKorean = memoizeEach(
  (server: PresetServer): PresetServer => ({
    ...server,
    title: server.tools[0]?.korean?.server ?? server.title,
    tools: server.tools.map(toolInKorean),
  }),
);

const inKorean = memoizeEach((entry: CatalogEntry): CatalogEntry => {
  const tool = toolInKorean(entry.tool);
  if (tool === entry.tool) return entry;
  // What is known of the key stands behind the description.
  const note = entry.description.slice(entry.tool.description.length);
  const server = { ...entry.server, name: tool.korean?.server ?? entry.server.name };
  return { ...entry, tool, server, description: `${tool.description}${note}` };
});

const toolInKorean = memoizeEach((tool: Tool): Tool => {
  const { korean, title, description, inputSchema, view, parameters } = tool;
  if (!korean) return tool;
  return {
    ...tool,
    title: korean.title ?? title,
    description: korean.summary ?? description,
    inputSchema: { ...inputSchema, properties: argumentsIn(inputSchema['properties'], korean) },
    view: { ...view, columns: columnsIn(view.columns, korean) },
    parameters: parameters.map((parameter) => {
      const { source } = parameter;
      if (source.kind !== 'secret') return parameter;
      const description = korean.secrets[source.secret] ?? source.description;
      return { ...parameter, source: { ...source, description } };
    }),
  };
});

function argumentsIn(properties: unknown, { parameters }: KoreanTexts): JsonObject {
  const all = Object.entries(isObject(properties) ? properties : {});
  return Object.fromEntries(
    all.map(([name, schema]) => {
      const description = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
      return [name, description === undefined ? schema : { ...Object(schema), description }];
    }),
  );
}

/** Units that are words; symbols such as mm are written alike in both languages. */
const UNITS_IN_KOREAN: Readonly<Record<string, string>> = {
  '10,000 KRW': '만원',
  '10 m': '10m',
  '100 m': '100m',
  days: '일',
  degrees: '도',
  hours: '시간',
  KRW: '원',
  'KRW/g': '원/g',
  'KRW/l': '원/L',
  persons: '명',
  points: '포인트',
  s: '초',
  shares: '주',
  tenths: '할',
  units: '좌',
  USD: '달러',
  years: '년',
};

const columnsIn = (
  facts: Tool['view']['columns'],
  { columns, codes }: KoreanTexts,
): Record<string, ColumnFacts> =>
  Object.fromEntries(
    [...new Set([...Object.keys(facts), ...Object.keys(columns)])].map((name) => {
      const { title = null, unit = null, codes: meanings = null } = facts[name] ?? {};
      const korean = Object.hasOwn(codes, name) ? codes[name] : undefined;
      return [
        name,
        {
          title: columns[name] ?? title,
          unit: (unit !== null && UNITS_IN_KOREAN[unit]) || unit,
          codes: meanings && { ...meanings, ...korean },
        },
      ];
    }),
  );
