import { describe, expect, it } from 'vitest';
import { makeOutcome, type OutcomeFacts } from '../../test/support/call-outcome.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { type RenderedResult, renderFailure, renderOutcome } from './render-result.ts';
import { CallFailure, type CallOutcome } from './tool-call.ts';

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

const render = (shown: CallOutcome, maxBytes = 65_536) => read(renderOutcome(shown, maxBytes));
const textsOf = (result: { content: { text: string }[] }) => result.content.map(({ text }) => text);

describe('a successful response', () => {
  it('has a headline, the data, and the members of the plain result', () => {
    expect(render(outcome('{\n "rows" : [1, 2] }', { rows: 2, cacheStatus: 'HIT' }))).toEqual({
      content: [
        { type: 'text', text: 'sky_now: 2 rows from Sky at sky.example, from the cache.' },
        { type: 'text', text: '{"rows":[1,2]}' },
      ],
      structuredContent: { rows: [1, 2] },
      tool: 'sky_now',
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
  });

  it.each([[[1]], ['"text"'], ['null'], ['7']])('wraps %j in an object', (data) => {
    const shown = outcome(data);
    expect(render(shown).structuredContent).toEqual({
      result: JSON.parse(shown.response.json.toString()),
    });
  });

  it.each([
    [{ rows: 1 }, '1 row'],
    [{ rows: 0, publicData: { code: '03', message: 'No data' } }, 'no rows: nothing was found'],
    [{}, 'a response'],
    [
      { rows: 2, shownRows: { returned: 2, omitted: 3, total: 5, hint: 'A larger _limit.' } },
      '2 of 5 rows',
    ],
  ])('counts the rows of %j', (more, amount) => {
    expect(textsOf(render(outcome([], more)))[0]).toContain(`sky_now: ${amount} from Sky`);
  });

  it('says how to get the rows that are not shown', () => {
    const shownRows = { returned: 1, omitted: 1, total: 2, hint: 'A larger _limit shows more.' };
    expect(textsOf(render(outcome([1], { rows: 1, shownRows }))).at(-1)).toBe(shownRows.hint);
  });

  it('is cut only in the text for the model, with a note', () => {
    const data = { name: '서울특별시'.repeat(100) };
    const result = render(outcome(data), 256);
    expect(Buffer.byteLength(textsOf(result)[1] ?? '')).toBeLessThanOrEqual(256);
    expect(textsOf(result)[2]).toMatch(/^Only the first 256 of \d+ bytes are shown/);
    expect(result).toMatchObject({ structuredContent: data, data });
  });

  it('shows plain text unquoted', () => {
    const data = { text: 'a "quoted" line\nand another' };
    expect(textsOf(render(outcome(data)))[1]).toBe(data.text);
    expect(textsOf(render(outcome(data), 8)).slice(1)).toEqual([
      'a "quote',
      expect.stringContaining('Only the first 8'),
    ]);
    expect(textsOf(render(outcome({ ...data, more: 1 })))[1]).toBe(
      JSON.stringify({ ...data, more: 1 }),
    );
  });

  it('shows images and audio as media blocks', () => {
    const media = (contentType: string) =>
      render(outcome({ contentType, bytes: 3, base64: 'AAAA' })).content[1];
    expect(media('image/png')).toEqual({ type: 'image', data: 'AAAA', mimeType: 'image/png' });
    expect(media('audio/wav; rate=8')).toEqual({
      type: 'audio',
      data: 'AAAA',
      mimeType: 'audio/wav',
    });
    expect(media('application/zip')).toMatchObject({ type: 'text' });
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
      expect(textsOf(own(data))[0]).toContain('sky_now: a response');
    },
  );
});

describe('a response that reports a failure', () => {
  const failed = (status: number, publicData?: OutcomeFacts['publicData']) =>
    render(
      outcome(
        { why: 'no' },
        {
          isError: true,
          status,
          ...(publicData ? { publicData } : {}),
        },
      ),
    );

  it('is marked as an error, and starts with what to do', () => {
    const result = failed(404);
    expect(result).toMatchObject({ isError: true, data: { why: 'no' } });
    expect(result).not.toHaveProperty('structuredContent');
    expect(textsOf(result)).toEqual([
      'sky_now failed: Sky at sky.example responded with HTTP 404. Check the arguments; its response follows.',
      '{"why":"no"}',
    ]);
    expect(textsOf(failed(503))[0]).toContain('The same call may work later.');
  });

  it('explains the result code', () => {
    const publicData = { code: '22', message: 'Quota exceeded', hint: 'Ask tomorrow.' };
    expect(textsOf(failed(200, publicData))[0]).toBe(
      'sky_now failed: Sky at sky.example refused with code 22: Quota exceeded. Ask tomorrow.',
    );
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
      content: [{ type: 'text', text: `sky_now failed: ${sentence}` }],
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
