import { afterEach, describe, expect, it } from 'vitest';
import { PUBLIC_DATA_PAYLOADS } from '../../public-data/payload-domain.ts';
import {
  createPayloadNormaliser,
  type PayloadNormaliserOptions,
} from './create-payload-normaliser.ts';
import type { PayloadInput } from './upstream-response.ts';

const opened: { close(): Promise<void> }[] = [];

function normaliser(options: Partial<PayloadNormaliserOptions> = {}) {
  const created = createPayloadNormaliser({
    domain: PUBLIC_DATA_PAYLOADS,
    workerScript: new URL('../../public-data/payload-worker.ts', import.meta.url),
    ...options,
  });
  opened.push(created);
  return created;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

const input = (body: string, more: Partial<PayloadInput> = {}): PayloadInput => ({
  status: 200,
  contentType: 'text/xml;charset=UTF-8',
  body: Buffer.from(body),
  shape: {
    items: '/response/body/items/item',
    total: null,
    itemWrapper: null,
    columns: null,
    asOf: null,
    success: {
      code: ['/response/header/resultCode'],
      values: [],
      empty: ['03'],
      present: null,
      failure: null,
      message: null,
      causes: {},
    },
  },
  isPublicData: true,
  ...more,
});

const xml = (rows: number): string =>
  `<response><header><resultCode>00</resultCode></header><body><items>${'<item><name>한글 이름</name></item>'.repeat(rows)}</items></body></response>`;

describe('createPayloadNormaliser', () => {
  it('reads large bodies on its thread to the same result as inline', async () => {
    const inline = normaliser({ xmlInlineBytes: Number.MAX_SAFE_INTEGER });
    const threaded = normaliser({ xmlInlineBytes: 0, inlineBytes: 0 });
    const bodies = [
      xml(2000),
      xml(1),
      '<response/>',
      '{"response":{"header":{"resultCode":"03"}}}',
      'plain text',
    ];
    for (const body of bodies) {
      const expected = await inline.normalise(input(body));
      const result = await threaded.normalise(input(body));
      expect(result).toEqual(expected);
      expect(Buffer.isBuffer(result.json)).toBe(true);
    }
  });

  it('reads large CSV on its thread, too: every row becomes an object', async () => {
    const { normalise } = normaliser({ xmlInlineBytes: 10 });
    const finds = { names: [], columns: [], isOne: false, expected: null };
    const result = normalise(
      input(`id,name\n${'1,a\n'.repeat(10)}`, {
        contentType: 'text/csv',
        isPublicData: false,
        shape: { ...input('').shape, items: null, success: null, finds },
      }),
    );
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toMatchObject({ ok: true, rows: 10 });
  });

  it('reads many large bodies concurrently, each with its own rows', async () => {
    const { normalise } = normaliser({ xmlInlineBytes: 100 });
    const sizes = [300, 5, 1200, 40, 700];
    const results = await Promise.all(sizes.map((rows) => normalise(input(xml(rows)))));
    expect(results.map((result) => result.rows)).toEqual(sizes);
  });

  it('reads large bodies of tenants in turn, and a bounded number of one', async () => {
    const { normalise } = normaliser({ xmlInlineBytes: 0 });
    const order: string[] = [];
    const read = async (tenantId: string, rows: number) => {
      await normalise(input(xml(rows), { tenantId }));
      order.push(tenantId);
    };
    const greedy = Array.from({ length: 65 }, () => read('greedy', 500));
    await expect(read('greedy', 1)).rejects.toMatchObject({ code: 'overloaded' });
    await read('other', 1);
    expect(order.length).toBeLessThan(5);
    await Promise.all(greedy);
  });

  it('transfers a large body that fills only a part of its memory', async () => {
    const { normalise } = normaliser();
    const text = Buffer.from(xml(5000));
    const body = Buffer.allocUnsafeSlow(2 * text.length)
      .fill('<')
      .subarray(100, 100 + text.length);
    text.copy(body);
    expect((await normalise(input('', { body }))).rows).toBe(5000);
    expect(body).toHaveLength(0);
  });

  it('reads a body that is a slice of a larger buffer without changing that buffer', async () => {
    const { normalise } = normaliser({ xmlInlineBytes: 0 });
    const whole = Buffer.from(`secret${xml(1)}secret`);
    const result = await normalise(input('', { body: whole.subarray(6, whole.length - 6) }));
    expect(result.rows).toBe(1);
    expect(whole.toString('utf8', 0, 6)).toBe('secret');
  });

  it('refuses an unreadable large body, and continues with the next', async () => {
    const { normalise } = normaliser({ xmlInlineBytes: 0 });
    await expect(normalise(input('<!DOCTYPE a><a/>'))).rejects.toMatchObject({
      code: 'upstream_bad_payload',
      cause: expect.stringContaining('Document types are refused'),
    });
    expect((await normalise(input(xml(2)))).rows).toBe(2);
  });

  it('restarts its thread after it has been idle', async () => {
    const { normalise } = normaliser({ xmlInlineBytes: 0, idleMs: 1 });
    expect((await normalise(input(xml(1)))).rows).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await normalise(input(xml(3)))).rows).toBe(3);
  });

  it('refuses queued bodies when it is closed, and can be closed twice', async () => {
    const part = normaliser({ xmlInlineBytes: 0 });
    const waiting = expect(part.normalise(input(xml(2000)))).rejects.toMatchObject({
      code: 'unavailable',
    });
    await part.close();
    await part.close();
    await waiting;
  });
});
