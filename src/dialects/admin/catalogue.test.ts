import { expect, it } from 'vitest';
import { makePreset, makeTool } from '../../../test/support/catalog-entries.ts';
import { presetEntries } from '../../tools/catalog-entry.ts';
import type { Tool } from '../../tools/model.ts';
import { createDescribeTool } from './catalogue.ts';

const secret = (name: string, description: string | null): Tool['parameters'][number] => ({
  name: 'key',
  in: 'query',
  style: 'form',
  explode: true,
  allowReserved: false,
  source: { kind: 'secret', secret: name, prefix: '', description },
});

async function describe(tool: Tool, sample?: string, showsSecrets = true, lang?: 'ko') {
  const preset = makePreset('weather/one', tool);
  const describeTool = createDescribeTool({
    catalog: { servers: [preset] },
    readDetails: async () => ({
      description: 'Rain and wind.',
      documentation: 'https://provider.example',
      license: null,
      termsOfService: null,
      columnsOf: () => [{ name: 'rain', description: null, type: 'number' }],
    }),
    sampleOf: () => (sample === undefined ? undefined : Buffer.from(sample)),
    hasSecret: (tenantId, name) => tenantId === 'ten_a' && name === 'SET',
    codesWithin: () => undefined,
  });
  const [entry] = presetEntries(preset, '2026-01-01T00:00:00.000Z');
  if (!entry) throw new Error('The preset has no tool.');
  return describeTool(entry, { tenantId: showsSecrets ? 'ten_a' : null, lang });
}

it('describes a tool, its provider, its keys and its units in Korean', async () => {
  const tool: Tool = {
    ...makeTool('wind'),
    secrets: ['SET', 'MISSING'],
    parameters: [secret('SET', 'Ask the provider.'), secret('MISSING', 'Ask us.')],
    view: {
      ...makeTool('wind').view,
      columns: {
        vec: { title: 'direction', unit: 'degrees', codes: null },
        wsd: { title: 'speed', unit: 'm/s', codes: null },
      },
    },
    korean: {
      ...{ server: '바람', title: null, summary: null, parameters: {}, codes: {} },
      description: '비와 바람.',
      secrets: { SET: '제공 기관에 문의.' },
      columns: { vec: '풍향' },
    },
  };
  expect(await describe(tool, undefined, true, 'ko')).toMatchObject({
    server: { name: '바람', description: '비와 바람.' },
    secrets: [{ description: '제공 기관에 문의.' }, { description: 'Ask us.' }],
    headings: { vec: { title: '풍향', unit: '도' }, wsd: { title: 'speed', unit: 'm/s' } },
  });
  const english = await describe(tool);
  expect(english.server.description).toBe('Rain and wind.');
  expect(english.secrets[0]?.description).toBe('Ask the provider.');
});

it('leaves out a long sample', async () => {
  const ofBytes = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));
  expect((await describe(makeTool('a'), ofBytes(65_536))).sample).toHaveLength(65_534);
  expect((await describe(makeTool('a'), ofBytes(65_537))).sample).toBeNull();
  expect((await describe(makeTool('a'))).sample).toBeNull();
});

it('says whether secrets are set only to those who may know', async () => {
  const tool = {
    ...makeTool('a'),
    secrets: ['SET', 'MISSING'],
    parameters: [secret('SET', 'Ask the provider.'), secret('MISSING', null)],
  };
  expect((await describe(tool)).secrets).toEqual([
    { name: 'SET', description: 'Ask the provider.', isSet: true },
    { name: 'MISSING', description: null, isSet: false },
  ]);
  const shown = (await describe(tool, undefined, false)).secrets;
  expect(shown.map(({ isSet }) => isSet)).toEqual([null, null]);
});
