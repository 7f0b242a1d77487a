import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openModelClient } from '../support/model-client.ts';
import { tokensOf } from '../support/tokens-of.ts';
import {
  ASKED_AT,
  ENGLISH_QUESTIONS,
  expressionOf,
  KOREAN_QUESTIONS,
  type QuestionCase,
  withReferences,
} from './question-cases.ts';

const QUESTIONS = [...KOREAN_QUESTIONS, ...ENGLISH_QUESTIONS];

/** The default of MCP_CONTENT_MAX_CHARACTERS. */
const MAX_CHARACTERS = 24_000;

/** Questions whose tool may be missing among the first three that the search finds. */
const MAX_MISSED = 2;

let gateway: TestGateway;
let model: Awaited<ReturnType<typeof openModelClient>>;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock: { now: () => ASKED_AT },
    env: { RATE_LIMIT_PER_MINUTE: '0' },
  });
  model = await openModelClient(gateway);
});
afterAll(async () => {
  await model.close();
  await gateway.close();
});

/** The text of the last call of a question. */
async function answerTo({ calls }: QuestionCase): Promise<string> {
  const texts: string[] = [];
  for (const call of calls) {
    const [tool = '', args = {}] = Object.entries(call)[0] ?? [];
    texts.push(await model.textOf(tool, withReferences(args, texts)));
  }
  return texts.at(-1) ?? '';
}

const toolOf = ({ calls }: QuestionCase): string => Object.keys(calls.at(-1) ?? {})[0] ?? '';

it('asks 40 questions, half of them in Korean, each of another tool', () => {
  const isKorean = ({ question }: QuestionCase): boolean => /\p{Script=Hangul}/u.test(question);
  expect(KOREAN_QUESTIONS.filter(isKorean)).toHaveLength(20);
  expect(ENGLISH_QUESTIONS.filter((each) => !isKorean(each))).toHaveLength(20);
  expect(new Set(QUESTIONS.map(toolOf)).size).toBe(40);
});

describe.each(QUESTIONS)('$question', (each) => {
  it('is answered by the text alone', async () => {
    const text = await answerTo(each);
    for (const phrase of each.holds) expect(text).toMatch(expressionOf(phrase));
    for (const phrase of each.lacks ?? []) expect(text).not.toMatch(expressionOf(phrase));
    expect(text).toMatch(/ Source: \S.*\. (Fetched now|From the cache)\.$/m);
    expect(text.length).toBeLessThanOrEqual(MAX_CHARACTERS);
    expect(tokensOf(text)).toBeLessThan(each.tokens ?? Number.POSITIVE_INFINITY);
  });
});

it('limits the tokens of a forecast for tomorrow and of the deals of a month', () => {
  const limits = QUESTIONS.flatMap((each) => (each.tokens ? [[toolOf(each), each.tokens]] : []));
  expect(limits).toEqual([
    ['kma_village_forecast', 3000],
    ['molit_apt_trades', 4000],
  ]);
});

it('finds the tool of nearly every question among the first three', async () => {
  const found = await Promise.all(
    QUESTIONS.map(({ question }) => model.textOf('find_tools', { query: question, limit: 3 })),
  );
  const missed = QUESTIONS.filter(
    (each, index) => !found[index]?.split('\n').some((line) => line.startsWith(`${toolOf(each)} `)),
  );
  expect(missed.length, missed.map(({ question }) => question).join('\n')).toBeLessThanOrEqual(
    MAX_MISSED,
  );
});
