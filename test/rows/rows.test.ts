import { expect, test } from 'vitest';
import { parsePointer, valueAt } from '../../src/platform/kernel/json-pointer.ts';
import type { Tool } from '../../src/tools/model.ts';
import { foldXml } from '../../src/upstreams/payload/read-xml.ts';
import { registerText } from '../support/compile-text.ts';
import { type RowCase, rowCases } from './row-cases.ts';

const ALL = rowCases();

/** What is wrong with a case; nothing if it is right. */
async function judge(rowCase: RowCase): Promise<string[]> {
  const { api } = await registerText(JSON.stringify(rowCase.document));
  const [tool, ...others] = api.tools;
  if (!tool || others.length > 0) return [`The document has ${api.tools.length} tools.`];
  return [...unknownArguments(tool, rowCase), ...wrongRows(rowCase)];
}

function unknownArguments({ parameters, body }: Tool, { request, expected }: RowCase): string[] {
  const known = new Set([...parameters.map(({ name }) => name), ...(body?.lifted ?? [])]);
  const named = [request, expected.next ?? {}, ...(expected.nextAlternatives ?? [])];
  return named
    .flatMap((args) => Object.keys(args ?? {}))
    .filter((name) => !known.has(name))
    .map((name) => `The tool has no argument ${name}.`);
}

function wrongRows({ response, expected }: RowCase): string[] {
  const { rows, count, rowsAlternatives = [] } = expected;
  const elements = (pointer: string) => countAt(response, pointer);
  const counted = rows === null ? null : elements(rows);
  return [
    ...(counted === count ? [] : [`There are ${counted} rows at "${rows}", not ${count}.`]),
    ...rowsAlternatives
      .filter((pointer) => elements(pointer) === null)
      .map((pointer) => `Expected a list at "${pointer}".`),
  ];
}

/** The elements of a list in the body; null if something else is there. */
function countAt({ contentType, body }: RowCase['response'], pointer: string): number | null {
  if (typeof body === 'string' && /\bxml\b/.test(contentType)) {
    const element = valueAt(foldXml(body), parsePointer(pointer));
    // XML does not tell one element from a list of one.
    return element === undefined ? null : [element].flat().length;
  }
  if (typeof body === 'string' && pointer === '') return linesOf(contentType, body);
  const list = valueAt(body, parsePointer(pointer));
  return Array.isArray(list) ? list.length : null;
}

/** Lines after the head: no cell of these cases has a line break. */
function linesOf(contentType: string, text: string): number {
  const lines = text.split(/\r?\n/).filter((line) => line !== '').length;
  return /json/.test(contentType) ? lines : lines - 1;
}

test('the cases come from at least 110 descriptions', () => {
  const sources = ALL.map(({ source }) => source).filter((source) => source !== 'made');
  expect(new Set(sources).size).toBeGreaterThanOrEqual(110);
});

test.each(ALL.map((rowCase) => [rowCase.name, rowCase] as const))('%s', async (_, rowCase) => {
  expect(await judge(rowCase)).toEqual([]);
});
