import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { ACCEPTS_EVENTS, toolCall } from '../support/rpc-requests.ts';
import { tokensOf } from '../support/tokens-of.ts';
import { SANDBOX_QUESTIONS } from './sandbox-questions.ts';

/** A Sunday, at the time of the cases. */
const NOW = Date.parse('2026-11-22T12:00:00+09:00');

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock: { now: () => NOW },
    env: { RATE_LIMIT_PER_MINUTE: '0' },
  });
});
afterAll(() => gateway.close());

/** The text that a model gets. */
async function textOf(tool: string, ask: object): Promise<string> {
  const response = await gateway.fetch('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': gateway.key, ...ACCEPTS_EVENTS },
    body: JSON.stringify(toolCall(tool, ask)),
  });
  const { result } = (await response.json()) as { result: { content: { text: string }[] } };
  return result.content[0]?.text ?? '';
}

describe.each(SANDBOX_QUESTIONS)('the response of $tool', ({ tool, ask }) => {
  it('says from whom the data are, of which time, for which arguments, and how many rows there are', async () => {
    const { result } = (await gateway.call(tool, ask)).body;
    expect(result).toMatchObject({
      outcome: expect.stringMatching(/^(ok|no_data)$/),
      provenance: {
        publisher: expect.stringMatching(/\S/),
        dataset: expect.stringMatching(/\S/),
        docUrl: expect.stringMatching(/^https?:/),
        licence: expect.stringMatching(/\S/),
        attribution: expect.stringMatching(/\S/),
        fetchedAt: new Date(NOW).toISOString(),
        ageSeconds: 0,
        steppedBack: null,
      },
    });
    const { asOf, asked } = result.provenance;
    expect(asOf ?? '2026').toMatch(/^\d{4}([QS]\d|-\d\d(-\d\d(T\d\d:\d\d(:\d\d)?\S*)?)?)?$/);
    expect(Object.keys(asked).length).toBeGreaterThanOrEqual(Object.keys(ask).length);
    expect(result.cause).toBe(result.outcome === 'ok' ? null : 'no_data');

    const text = await textOf(tool, ask);
    const [headline = ''] = text.split('\n');
    expect(headline.startsWith(`${tool}: `)).toBe(true);
    expect(headline).toContain(`Source: ${result.provenance.attribution}.`);
    if (asOf !== null && asOf !== result.provenance.fetchedAt) expect(headline).toContain(asOf);
    expect(text.length).toBeLessThanOrEqual(24_000);
    if (result.rows?.next) expect(text).toContain('\nNote: ');
    expect(text.endsWith('\n')).toBe(true);
  });
});

describe('a question for a model', () => {
  it('about the weather of tomorrow takes less than 3,000 tokens', async () => {
    const text = await textOf('kma_village_forecast', { lat: 37.57, lon: 126.98 });
    expect(tokensOf(text)).toBeLessThan(3000);
    expect(text).toContain('TMP (temperature, ℃)');
    expect(text).toMatch(/\n20261123\t1200\t-?\d+\t/);
  });

  it('about the deals of a month in a district takes less than 4,000', async () => {
    const ask = { LAWD_CD: 'Gangnam-gu', DEAL_YMD: '2026-10' };
    const text = await textOf('molit_apt_trades', ask);
    expect(text).toContain('LAWD_CD=11680, DEAL_YMD=202610');
    expect(tokensOf(text)).toBeLessThan(4000);
  });
});
