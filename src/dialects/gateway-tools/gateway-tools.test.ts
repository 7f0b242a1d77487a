import { expect, it } from 'vitest';
import { createGatewayTools, topicsOf } from './gateway-tools.ts';

/** As many kinds of codes as the tables may have, with names of usual length. */
const kinds = Array.from({ length: 21 }, (_, n) => `kind_of_${String(n).padStart(4, '0')}`);
const CODES = { kinds, kindNote: 'company needs DART_API_KEY.' };

const about = (en: string) => ({ title: 'A title', topic: { en, ko: '주제' } });
const manyServers = Array.from({ length: 900 }, (_, n) =>
  about(`topic ${String(n).padStart(3, '0')}`),
);

it('the definitions take less than 720 tokens of four characters, with 21 kinds of codes, a note and all topics that fit', () => {
  const topics = topicsOf(manyServers);
  expect(topics).toMatch(/, topic 0\d\d, \.\.\.$/);
  const listed = Object.values(createGatewayTools(CODES, topics)).map(({ tool, description }) => ({
    name: tool.name,
    title: tool.title,
    description,
    inputSchema: tool.inputSchema,
    annotations: { ...tool.annotations, idempotentHint: true },
    _meta: { 'anthropic/alwaysLoad': true },
  }));
  expect(JSON.stringify(listed).length / 4).toBeLessThan(720);
});

it('names each topic of the presets once, and the title of one without a topic', () => {
  const servers = [about('books'), about('films'), about('books'), { title: 'Tides', topic: null }];
  expect(topicsOf(servers)).toBe('books, films, Tides');
  const { find_tools: named } = createGatewayTools(CODES, topicsOf(servers));
  expect(named.description).toMatch(/ Topics: books, films, Tides\.$/);
  expect(createGatewayTools(CODES, '').find_tools.description).toMatch(/one call \(_over\)\.$/);
});
