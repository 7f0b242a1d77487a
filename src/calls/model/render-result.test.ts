import { describe, expect, it } from 'vitest';
import { makeOutcome, type OutcomeFacts } from '../../../test/support/call-outcome.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { CallFailure, type CallOutcome } from '../tool-call.ts';
import type { ShownRows } from '../view/view-rows.ts';
import {
  type RenderedResult,
  type Rendering,
  renderFailure,
  renderOutcome,
} from './render-result.ts';

const outcome = (data: unknown, facts: OutcomeFacts = {}) =>
  makeOutcome({
    url: 'https://sky.example/now?n=1',
    json: Buffer.from(typeof data === 'string' ? data : JSON.stringify(data)),
    ...facts,
  });

/** The result as a client reads it. */

function read({ members, meta }: RenderedResult) {
  const text = Buffer.concat(members.map((piece) => Buffer.from(piece))).toString();
  return JSON.parse(`{${text},"_meta":{${meta}}}`);
}

const render = (shown: CallOutcome, rendering: Partial<Rendering> = {}) =>
  read(renderOutcome(shown, { style: 'full', maxCharacters: 24_000, ...rendering }));
const textsOf = (result: { content: { text: string }[] }) => result.content.map(({ text }) => text);

describe('a successful response', () => {
  const headline = 'sky_now: 2 rows. Source: Sky. From the cache.';

  it('is one text, beside the members of the plain result', () => {
    const result = render(outcome('{\n "rows" : [1, 2] }', { rows: 2, cacheStatus: 'HIT' }));
    expect(result).toMatchObject({
      content: [{ type: 'text', text: `${headline}\n\n{"rows":[1,2]}\n` }],
      tool: 'sky_now',
      outcome: 'ok',
      cause: null,
      rows: { returned: 2, omitted: 0, total: null, next: null },
      upstream: { method: 'GET', url: 'https://sky.example/now?n=1', status: 200 },
      data: { rows: [1, 2] },
      cacheStatus: 'HIT',
      auditId: 'aud_1',
      _meta: {
        'toolgateway/auditId': 'aud_1',
        'toolgateway/cacheStatus': 'HIT',
        'toolgateway/upstream': { method: 'GET', url: 'https://sky.example/now?n=1', status: 200 },
      },
    });
    expect(result).not.toHaveProperty('structuredContent');
  });

  it('is the text alone, where that was asked for', () => {
    const result = render(outcome({ a: 1 }), { style: 'text' });
    expect(Object.keys(result)).toEqual(['content', '_meta']);
  });

  it('has a table of its rows', () => {
    const table: ShownRows = {
      columns: [
        { name: 'TMP', title: 'temperature', unit: '℃', codes: null },
        { name: 'SKY', title: null, unit: null, codes: { 1: 'clear' } },
      ],
      rows: [
        ['"12"', '"1"'],
        ['13.50', '"a\\tb"'],
        ['', 'null'],
      ],
      matching: 3,
      isPivoted: true,
    };
    const shown = outcome({}, { rows: 3, table });
    expect(textsOf(render(shown))[0]?.split('\n').slice(2)).toEqual([
      'TMP (temperature, ℃)\tSKY',
      '12\tclear',
      '13.50\ta b',
      '\t',
      '',
    ]);
    expect(render(shown, { style: 'structured' }).structuredContent).toMatchObject({
      columns: table.columns,
      rows: [
        ['12', 'clear'],
        [13.5, 'a\tb'],
        [null, ''],
      ],
      total: null,
      next: null,
    });
  });

  it('is cut at whole rows, with a note', () => {
    const rows = Array.from({ length: 100 }, (_, n) => [`"row number ${n}"`]);
    const columns = [{ name: 'a', title: null, unit: null, codes: null }];
    const table = { columns, rows, matching: 100, isPivoted: false };
    const [text = ''] = textsOf(render(outcome({}, { rows: 100, table }), { maxCharacters: 500 }));
    expect(text).toMatch(/Note: Only the first \d+ of these 100 rows fit here\./);
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^row number \d+$/);
    const cut = render(outcome({}, { table }), { style: 'structured', maxCharacters: 500 });
    expect(cut.structuredContent.summary).toContain('of these 100 rows fit here');
  });

  it('shows images and audio as media blocks, beside the headline', () => {
    const media = (contentType: string) =>
      render(outcome({ contentType, bytes: 3, base64: 'AAAA' })).content;
    expect(media('image/png')[1]).toEqual({ type: 'image', data: 'AAAA', mimeType: 'image/png' });
    expect(media('audio/wav; rate=8')[1]).toEqual({
      type: 'audio',
      data: 'AAAA',
      mimeType: 'audio/wav',
    });
    expect(media('application/zip')).toHaveLength(1);
  });
});

describe('MCP content from the upstream', () => {
  const own = (data: unknown, more: OutcomeFacts = {}) =>
    render(outcome(data, { answersContent: true, ...more }));
  const content = [{ type: 'resource', resource: { uri: 'a://b', text: 'c' } }];

  it('is passed through', () => {
    expect(own({ content })).toMatchObject({ content });
    expect(own({ content, structuredContent: { a: 1 } })).toMatchObject({
      structuredContent: { a: 1 },
    });
    expect(own({ content, isError: true })).toMatchObject({ isError: true });
    expect(own({ content }, { isError: true })).toMatchObject({ content, isError: true });
  });

  it.each([[{ content: 'text' }], [{ content: [{ type: 'video' }] }], [[]], ['null']])(
    'is shown as data if it is not valid content: %j',
    (data) => {
      expect(textsOf(own(data))[0]).toContain('sky_now: a response.');
    },
  );
});

describe('a response that reports a failure', () => {
  it('is marked as an error, and says what to do before the response', () => {
    const failed = outcome({ why: 'no' }, { isError: true, status: 404, cause: 'arguments' });
    const result = render(failed);
    expect(result).toMatchObject({ isError: true, data: { why: 'no' }, outcome: 'failed' });
    expect(textsOf(result)).toEqual([
      'sky_now failed: Sky responded with HTTP 404. Check the arguments and call again.\n\n{"why":"no"}\n',
    ]);
  });
});

describe('a call without a response', () => {
  const failure = (error: GatewayError) => read(renderFailure('sky_now', error));

  it.each([
    [
      new GatewayError('upstream_timeout'),
      'The upstream did not answer in time. The same call may work later.',
    ],
    [new GatewayError('missing_secret', 'No key.'), 'No key.'],
    [new GatewayError('rate_limited', 'Used up. Retry in 5 s.'), 'Used up. Retry in 5 s.'],
    [
      new GatewayError('invalid_arguments', 'sky_now: /n must be a number.'),
      '/n must be a number. Correct the arguments and call again.',
    ],
  ])('says what is wrong and what to do: %s', (error, sentence) => {
    expect(failure(error)).toEqual({
      content: [{ type: 'text', text: `sky_now failed: ${sentence}\n` }],
      isError: true,
      tool: 'sky_now',
      _meta: {},
    });
  });

  it('is an error and not a result if the tool does not exist', () => {
    const error = new GatewayError('tool_not_found');
    expect(() => failure(error)).toThrow(error);
  });

  it('has the id of its record', () => {
    const recorded = new CallFailure('aud_1', 'sky_now', new GatewayError('upstream_timeout'));
    expect(read(renderFailure('sky_now', recorded))).toMatchObject({
      auditId: 'aud_1',
      _meta: { 'toolgateway/auditId': 'aud_1' },
    });
  });

  it('does not disclose what foreign code throws', () => {
    expect(JSON.stringify(read(renderFailure('sky_now', new Error('secret path'))))).not.toContain(
      'secret',
    );
  });
});
