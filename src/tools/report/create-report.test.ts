import { describe, expect, it } from 'vitest';
import { documentOf, registerText } from '../../../test/support/compile-text.ts';
import { createReport, MANY_TOOLS } from './create-report.ts';
import { SCORE_WEIGHTS } from './score.ts';

const text = { type: 'string' };

const reportOn = async (item: unknown, rest: Record<string, unknown> = {}) =>
  createReport(await registerText(documentOf(item, rest)));

const flawless = {
  get: {
    operationId: 'listThings',
    description: 'Lists the things.',
    parameters: [{ name: 'q', in: 'query', description: 'What to find.', schema: text }],
  },
};

describe('a report', () => {
  it('on a flawless document has all points and no warnings', async () => {
    expect(await reportOn(flawless)).toEqual({
      score: 100,
      scoreParts: SCORE_WEIGHTS,
      tools: 1,
      tokens: expect.any(Number),
      tags: [],
      operations: [
        {
          operationId: 'listThings',
          method: 'GET',
          path: '/things',
          tool: 'listthings',
          outcome: 'accepted',
          pointer: '/paths/~1things/get',
          reason: null,
          rows: null,
        },
      ],
      warnings: [],
    });
    expect(Object.values<number>(SCORE_WEIGHTS).reduce((sum, weight) => sum + weight)).toBe(100);
  });

  it('on a document without tools has no points', async () => {
    const nothing = { callable: 0, unchanged: 0, described: 0, arguments: 0, named: 0 };
    for (const item of [{}, { get: { parameters: {} } }]) {
      expect(await reportOn(item)).toMatchObject({
        score: 0,
        scoreParts: nothing,
        tools: 0,
        tokens: 0,
      });
    }
  });

  it('takes points for each kind of flaw, in proportion', async () => {
    const { scoreParts, score } = await reportOn({
      ...flawless,
      // Changed, without description, without id, and one of two arguments not described.
      post: { parameters: [{ name: 'r', in: 'query', schema: { ...text, default: 1 } }] },
      put: { parameters: {} },
    });
    expect(scoreParts).toEqual({
      callable: 33,
      unchanged: 5,
      described: 10,
      arguments: 5,
      named: 5,
    });
    expect(score).toBe(58);
  });

  it('lists the tags of all operations once, within bounds', async () => {
    const tagged = (tags: unknown) => ({ ...flawless.get, tags });
    const { tags } = await reportOn({
      get: tagged(['books', 'authors']),
      post: tagged(['authors', '', 5, 'x'.repeat(501)]),
      put: tagged('books'),
    });
    expect(tags).toEqual(['books', 'authors']);
    const many = Array.from({ length: 101 }, (_, n) => `tag ${n}`);
    expect((await reportOn({ get: tagged(many) })).tags).toEqual(many.slice(0, 100));
  });

  it('says which tools are hard to use, each kind once', async () => {
    const { warnings } = await reportOn({
      get: { operationId: 'x'.repeat(65), parameters: [{ name: 'q', in: 'query', schema: text }] },
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: {
                properties: { a: { type: 'object', properties: { b: { type: 'array' } } } },
              },
            },
          },
        },
      },
    });
    expect(
      warnings.map(({ message, pointer, count }) => [message.slice(0, 24), pointer, count]),
    ).toEqual([
      ['A name has more than 64 ', '/paths/~1things/get', 1],
      ['An operation has neither', '/paths/~1things/get', 2],
      ['An operation has argumen', '/paths/~1things/get', 2],
      ['An array has no items. S', '/paths/~1things/post', 1],
    ]);
  });

  it('warns of more tools than clients accept', async () => {
    const paths = (count: number) =>
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'T' },
        servers: [{ url: 'https://api.example.com' }],
        paths: Object.fromEntries(
          Array.from({ length: count }, (_, i) => [`/${i}`, { get: { summary: 'Reads.' } }]),
        ),
      });
    const many = async (count: number) => createReport(await registerText(paths(count))).warnings;
    expect(await many(MANY_TOOLS)).toEqual([]);
    expect(await many(MANY_TOOLS + 1)).toMatchObject([{ count: MANY_TOOLS + 1 }]);
  });

  it('estimates tokens: a quarter per ASCII character, one for any other', async () => {
    const tokensOf = async (description: string) =>
      (await reportOn({ get: { operationId: 'x', description } })).tokens;
    const base = await tokensOf('a');
    expect(await tokensOf(`a${'b'.repeat(400)}`)).toBe(base + 100);
    expect(await tokensOf(`a${'날'.repeat(100)}`)).toBe(base + 100);
    expect(await tokensOf(`a${'😀'.repeat(100)}`)).toBe(base + 100);
  });
});
