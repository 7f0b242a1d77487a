import { beforeAll, describe, expect, test } from 'vitest';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { serverInLanguage } from '../../src/tools/catalog/in-language.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import type { PresetServer, Tool } from '../../src/tools/model.ts';
import { SHIPPED_PRESETS } from '../support/sandboxed-presets.ts';

/** Korean, or nothing but what is written alike in both languages, such as PM10. */
const isKorean = (text: string | null | undefined): boolean =>
  typeof text === 'string' && (/\p{Script=Hangul}/u.test(text) || /^[\P{L}A-Z\d]+$/u.test(text));

/** Units that are written alike in both languages. */
const SYMBOLS = /^(|mm|cm|km|kg|hPa|ppm|m\/s|m³\/s|km\/h|µg\/m³|MJ\/m²|kA\/km²|g|m|m²|℃|°|%)$/;

/** The units of a tool in Korean that are English words. */
const englishUnits = ({ view, name: tool }: Tool): string[] =>
  Object.entries(view.columns).flatMap(([column, { unit }]) =>
    isKorean(unit ?? '') || SYMBOLS.test(unit ?? '') || /^\d+m$/.test(unit ?? '')
      ? []
      : [`${tool}: unit ${unit} of ${column}`],
  );

/** The texts that a tool has in English only. */
function missingIn(tool: Tool): string[] {
  const { korean, inputSchema, payload, view, secrets } = tool;
  const names = Object.keys(Object(inputSchema['properties']));
  const columns = new Set([...(payload.columns ?? []), ...Object.keys(view.columns)]);
  return [
    ...(isKorean(korean?.title) ? [] : ['title']),
    ...(isKorean(korean?.summary) ? [] : ['summary']),
    ...secrets.filter((name) => !isKorean(korean?.secrets[name])).map((name) => `secrets ${name}`),
    ...names
      .filter((name) => !isKorean(korean?.parameters[name]))
      .map((name) => `parameters ${name}`),
    ...[...columns]
      .filter((name) => !isKorean(korean?.columns[name]))
      .map((name) => `columns ${name}`),
    ...Object.entries(view.columns).flatMap(([name, { codes }]) =>
      Object.keys(codes ?? {})
        .filter((code) => !isKorean(korean?.codes[name]?.[code]))
        .map((code) => `codes ${name} ${code}`),
    ),
  ];
}

describe('every shipped preset has Korean texts', () => {
  let servers: readonly PresetServer[] = [];
  beforeAll(async () => {
    const loaded = await loadPresets({
      dir: SHIPPED_PRESETS,
      extraDirs: [],
      domain: PUBLIC_DATA_TOOLS,
    });
    servers = loaded.presets;
  });

  test.each(['culture', 'economy', 'weather'])('%s', (category) => {
    const missing = servers
      .filter((server) => server.category === category)
      .flatMap((server) => [
        ...(isKorean(server.tools[0]?.korean?.server) ? [] : [`${server.id}: title`]),
        ...(isKorean(server.tools[0]?.korean?.description) ? [] : [`${server.id}: description`]),
        ...serverInLanguage(server, 'ko').tools.flatMap(englishUnits),
        ...server.tools.flatMap((tool) =>
          missingIn(tool).map((text) => `${server.id} ${tool.name}: ${text}`),
        ),
      ]);
    expect(missing).toEqual([]);
  });
});
