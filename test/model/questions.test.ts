import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { type Catalog, createCatalog } from '../../src/tools/catalog/catalog.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';

/** Questions as people ask them, each with the tools that answer it. */
const QUESTIONS = readFileSync(join(import.meta.dirname, 'questions.tsv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [question = '', tools = ''] = line.split('\t');
    return { question, tools: tools.split(' ') };
  });

/** The share of questions whose tool must be among the first three. */
const MIN_SHARE = 0.95;

describe('the search for the tool of a question', () => {
  let catalog: Catalog;
  beforeAll(async () => {
    const dir = resolve(import.meta.dirname, '../../presets');
    catalog = createCatalog(await loadPresets({ dir, domain: PUBLIC_DATA_TOOLS }));
  });

  const firstThree = (q: string): string[] =>
    catalog
      .search(catalog.presetEntries, { q })
      .slice(0, 3)
      .map(({ entry }) => entry.tool.name);

  it('has 60 questions, whose tools exist', () => {
    expect(QUESTIONS).toHaveLength(60);
    const names = new Set(catalog.presetEntries.map(({ tool }) => tool.name));
    expect(QUESTIONS.flatMap(({ tools }) => tools).filter((name) => !names.has(name))).toEqual([]);
  });

  it('finds it among the first three', () => {
    const missed = QUESTIONS.filter(
      ({ question, tools }) => !firstThree(question).some((name) => tools.includes(name)),
    );
    const allowed = Math.floor(QUESTIONS.length * (1 - MIN_SHARE) + 1e-9);
    const described = missed.map(({ question }) => `${question} ${firstThree(question)}`);
    expect(described.length, described.join('\n')).toBeLessThanOrEqual(allowed);
  });
});
