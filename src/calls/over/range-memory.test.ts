import { expect, it } from 'vitest';
import { startTestGateway } from '../../../test/support/gateway.ts';
import { usedBytes } from '../../../test/support/used-memory.ts';

const MIB = 1024 * 1024;
const UNITS = 1000;
const ROWS = 1000;

const PRESET = `openapi: 3.1.0
info: { title: Many, version: "1" }
servers: [{ url: "http://many.invalid" }]
paths:
  /rows:
    get:
      operationId: many_rows
      description: A thousand rows.
      x-items: /items
      x-total: /total
      x-cache-ttl: 0
      parameters:
        - { name: n, in: query, required: true, description: A unit., schema: { type: integer } }
      responses: { "200": { description: Rows. } }
`;

const BODY = Buffer.from(
  JSON.stringify({
    items: Array.from({ length: ROWS }, (_, n) => ({
      id: n,
      day: `2026-11-${(n % 28) + 1}`,
      name: `House number ${n}`,
      price: (n * 7919) % 100_000,
    })),
    total: ROWS,
  }),
);

it('a million rows take little memory, in groups and as a file', async () => {
  const gateway = await startTestGateway({
    presets: { many: PRESET },
    env: { RATE_LIMIT_PER_MINUTE: '0' },
  });
  let requests = 0;
  let peak = 0;
  gateway.upstream.answer((_request, response) => {
    gateway.upstream.seen.length = 0;
    response.setHeader('content-type', 'application/json').end(BODY);
    if (++requests % 200 === 0) peak = Math.max(peak, usedBytes());
  });
  const ask = async (more: object) =>
    (await gateway.call('many_rows', { _over: [`n=1..${UNITS}`], _limit: 5, ...more })).body.result;
  try {
    await gateway.call('many_rows', { _over: ['n=1..50'] });
    const before = usedBytes();
    const whole = await ask({});
    expect(whole).toMatchObject({ complete: true, rows: { total: UNITS * ROWS } });
    const groups = await ask({ _calc: ['sum:price', 'median:price', 'count'] });
    expect(groups.data.rows[0].at(-1)).toBe(UNITS * ROWS);
    expect((peak - before) / MIB).toBeLessThan(60);
    expect(requests).toBe(2 * UNITS + 50);
  } finally {
    await gateway.close();
  }
});
