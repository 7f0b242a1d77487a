import { expect, it } from 'vitest';
import { makeTool } from '../../../test/support/catalog-entries.ts';
import { presetEntries } from '../catalog-entry.ts';
import type { PresetServer } from '../model.ts';
import { inLanguage, serverInLanguage } from './in-language.ts';

const facts = (title: string, codes: Record<string, string> | null = null) => ({
  title,
  unit: '℃',
  codes,
});
const TOOL = {
  ...makeTool('sky'),
  title: 'Sky',
  description: 'What the sky is like.',
  inputSchema: {
    type: 'object',
    properties: { day: { type: 'string', description: 'Day.' }, nx: {} },
  },
  view: {
    concise: null,
    pivot: null,
    columns: { T: facts('temperature'), S: facts('sky', { 1: 'clear', 4: 'grey' }) },
  },
  secrets: ['A_KEY'],
  korean: {
    server: '하늘 서비스',
    title: '하늘',
    summary: '하늘 상태를 조회합니다.',
    parameters: { day: '날짜', gone: '없음' },
    columns: { T: '기온' },
    codes: { S: { 1: '맑음' } },
  },
};
const SERVER = {
  id: 'weather/sky',
  title: 'Sky',
  category: 'weather',
  tools: [TOOL],
} as unknown as PresetServer;
const [ENTRY] = presetEntries(SERVER, '', { hasSecret: () => false, noteOn: () => undefined });

it('describes a tool in Korean, and what has no Korean text as before', () => {
  if (!ENTRY) throw new Error('There is no entry.');
  expect(inLanguage(ENTRY)).toBe(ENTRY);
  const korean = inLanguage(ENTRY, 'ko');
  expect(inLanguage(ENTRY, 'ko')).toBe(korean);
  expect(korean.description).toMatch(/^하늘 상태를 조회합니다\. Needs the secret A_KEY/);
  expect(korean.tool).toMatchObject({
    title: '하늘',
    inputSchema: { properties: { day: { type: 'string', description: '날짜' }, nx: {} } },
    view: {
      columns: {
        T: { title: '기온', unit: '℃' },
        S: { title: 'sky', codes: { 1: '맑음', 4: 'grey' } },
      },
    },
  });
  expect(korean.server.name).toBe('하늘 서비스');
  expect(serverInLanguage(SERVER, 'ko')).toMatchObject({
    title: '하늘 서비스',
    tools: [{ title: '하늘' }],
  });
});
