import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCodeTables } from '../../src/codes/code-tables.ts';
import { type AskedSandbox, startAskedSandbox } from '../support/ask-sandbox.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openModelClient } from '../support/model-client.ts';
import { tokensOf } from '../support/tokens-of.ts';
import { ASKED_AT } from './question-cases.ts';

/** Tokens of everything that the model reads. */
const MAX_TOKENS = 3000;

const clock = { now: () => ASKED_AT };
let gateway: TestGateway;
let sandbox: AskedSandbox;
let model: Awaited<ReturnType<typeof openModelClient>>;
beforeAll(async () => {
  gateway = await startTestGateway({ clock });
  sandbox = await startAskedSandbox(clock);
  model = await openModelClient(gateway);
});
afterAll(async () => {
  await model.close();
  await sandbox.close();
  await gateway.close();
});

/** The twelve months before the month of the question, as `YYYYMM`. */
const MONTHS = Array.from({ length: 12 }, (_, back) => {
  const asked = new Date(ASKED_AT);
  const month = new Date(Date.UTC(asked.getUTCFullYear(), asked.getUTCMonth() - 1 - back, 1));
  return month.toISOString().slice(0, 7).replace('-', '');
}).toReversed();

/** Every price of a district in these months, page by page, as the upstream has them. */
async function pricesOf(district: string): Promise<number[]> {
  const prices: number[] = [];
  for (const month of MONTHS) {
    const args = { LAWD_CD: district, DEAL_YMD: month, numOfRows: 1000 };
    const { rows, total } = await sandbox.ask('molit_apt_trades', args);
    expect(rows).toHaveLength(total ?? -1);
    prices.push(...rows.map((row) => Number(String(row['dealAmount']).replaceAll(',', ''))));
  }
  return prices.toSorted((a, b) => a - b);
}

/** The codes of the districts of Seoul, by the names that the answer has. */
function districtCodes(): ReadonlyMap<string, string> {
  const found = createCodeTables({ dir: 'codes' }).within('district', 'Seoul', undefined);
  const codes = found && 'codes' in found ? found.codes : [];
  return new Map(codes.map(([code, name]) => [name, code]));
}

const medianOf = (sorted: readonly number[]): number => {
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
};

it('Median price of apartments by district of Seoul for the last twelve months', async () => {
  const found = await model.textOf('find_tools', { query: 'apartment sale prices', limit: 1 });
  const answer = await model.textOf('call_tool', {
    name: 'molit_apt_trades',
    arguments: {
      _over: ['LAWD_CD=within:Seoul', `DEAL_YMD=${MONTHS[0]}..${MONTHS.at(-1)}`],
      _group: ['LAWD_CD'],
      _calc: ['median:dealAmount', 'count'],
    },
  });
  expect(found).toContain('molit_apt_trades');
  expect(tokensOf(found) + tokensOf(answer)).toBeLessThanOrEqual(MAX_TOKENS);
  expect(answer).toContain('25 rows from all 300 units');
  const [, ...lines] = answer.trim().split('\n\n').at(-1)?.split('\n') ?? [];
  expect(lines).toHaveLength(25);
  const codes = districtCodes();
  for (const line of lines) {
    const [district = '', median, count] = line.split('\t');
    const prices = await pricesOf(codes.get(district) ?? '');
    expect([district, median, count]).toEqual([
      district,
      `${medianOf(prices)}`,
      `${prices.length}`,
    ]);
  }
});
