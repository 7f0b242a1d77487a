import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { texts as shared } from '../../shared/texts.ko.ts';
import { texts as en } from './en.ts';
import { texts as ko } from './ko.ts';

type Tree = { readonly [key: string]: string | Tree };

/** Every text by its path; the plural forms of a text share one. */
function flatten(tree: Tree, path = ''): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [key, value] of Object.entries(tree)) {
    const name = `${path}${key.replace(/_(one|other)$/, '')}`;
    if (typeof value === 'string') found.set(name, [...(found.get(name) ?? []), value]);
    else for (const [inner, texts] of flatten(value, `${name}.`)) found.set(inner, texts);
  }
  return found;
}

const variables = (texts: readonly string[]): string[] =>
  [...new Set(texts.flatMap((text) => text.match(/\{\{\s*\w+/g) ?? []))].sort();

test('the sentences that Korean replaces are sentences of the gateway', () => {
  const source = globSync('src/**/*.ts').map((path) => readFileSync(path, 'utf8'));
  for (const sentence of Object.keys(shared.error.sentence)) {
    expect([sentence, source.some((text) => text.includes(sentence))]).toEqual([sentence, true]);
  }
});

/** Words that are said otherwise: 테스트, 데이터, API, 인증키, 활용신청, 거부, 페이지. */
const RETIRED = /시험|자료|업스트림|제공 기관 키|자체 키|활용 신청|거절|\}쪽/;

describe('the texts of both languages', () => {
  const [english, korean] = [flatten(en), flatten(ko)];

  test('have the same keys, but for what the gateway says itself in English', () => {
    expect(english.size).toBeGreaterThan(50);
    const own = [...korean.keys()].filter((key) => !/^shared\.error\.(code|sentence)\./.test(key));
    expect(new Set(own)).toEqual(new Set(english.keys()));
  });

  test('have the same variables', () => {
    for (const [key, texts] of english) {
      expect([key, variables(korean.get(key) ?? [])]).toEqual([key, variables(texts)]);
    }
  });

  test('have one Korean word for one thing', () => {
    const found = [...korean].filter(([, texts]) => texts.some((text) => RETIRED.test(text)));
    expect(found).toEqual([]);
  });

  test('are not empty', () => {
    const empty = [...english, ...korean].filter(([, texts]) => texts.some((text) => !text.trim()));
    expect(empty).toEqual([]);
  });
});
