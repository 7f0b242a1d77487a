import { describe, expect, it } from 'vitest';
import { openCallPipeline, type Reply } from '../../test/support/call-pipeline.ts';

const STARS = `
x-items: /rows
x-success: { code: /code, values: [ok], causes: { '020': quota, '023': rate, '010': operator_key } }
paths:
  /stars:
    get:
      operationId: stars
      x-filter: { name: nm }
      parameters:
        - { name: name, in: query, schema: { type: string } }
        - { name: key, in: query, x-secret: STAR_KEY, schema: { type: string } }
      responses: {}
`;

const TTL_MS = 60_000;
const secrets = { STAR_KEY: 'an-invented-key' };

describe('an expired response', () => {
  const refusals: readonly [string, Reply, string][] = [
    ['a quota that is used up', { body: { code: '020' } }, 'STALE'],
    ['too many calls', { body: { code: '023' } }, 'STALE'],
    ['status 429', { body: { code: 'ok' }, status: 429 }, 'STALE'],
    ['a refused key', { body: { code: '010' } }, 'MISS'],
  ];

  it.each(refusals)('after %s: %j: %s', async (_, refusal, cacheStatus) => {
    const gateway = await openCallPipeline(STARS, { secrets });
    gateway.answer({ body: { code: 'ok', rows: [{ nm: 'Vega' }] } });
    await gateway.call('stars');
    gateway.pass(TTL_MS);
    gateway.answer(refusal);
    expect(await gateway.call('stars')).toMatchObject({ cacheStatus });
  });
});

it('an expired response replaces a refusal by an upstream that is sent no key', async () => {
  const gateway = await openCallPipeline(STARS.replace(/.*STAR_KEY.*\n/, ''));
  gateway.answer({ body: { code: 'ok', rows: [{ nm: 'Vega' }] } });
  await gateway.call('stars');
  gateway.pass(TTL_MS);
  gateway.answer({ status: 403, body: {}, retryAfterSeconds: 5 });
  const stale = await gateway.call('stars');
  expect(stale).toMatchObject({
    cacheStatus: 'STALE',
    provenance: { stale: { cause: 'upstream' } },
  });
});

describe('a search', () => {
  it('is filtered again where the upstream ignores it, for each caller by his own arguments', async () => {
    const gateway = await openCallPipeline(STARS, { secrets });
    gateway.answer({ body: { code: 'ok', rows: [{ nm: 'Vega' }, { nm: 'Deneb' }] } });
    const rowsFor = async (args: Record<string, unknown>) =>
      ((await gateway.call('stars', args)) as { data: { rows: unknown } }).data.rows;
    expect(await rowsFor({ name: 'deneb' })).toEqual([{ nm: 'Deneb' }]);
    expect(await rowsFor({ name: 'vega' })).toEqual([{ nm: 'Vega' }]);
    expect(await rowsFor({})).toHaveLength(2);
  });
});
