import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeOutcome, type OutcomeFacts, PROVENANCE } from '../../../test/support/call-outcome.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Provenance } from '../provenance.ts';
import { CallFailure, type CallOutcome } from '../tool-call.ts';
import type { ShownRows } from '../view/table.ts';
import { headOf } from './headline.ts';
import {
  type RenderedResult,
  type Rendering,
  type ResultStyle,
  renderFailure,
  renderOutcome,
} from './render-result.ts';
import { STRUCTURED_SCHEMA } from './structured.ts';

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
});

describe('MCP content from the upstream', () => {
  const own = (data: unknown, more: OutcomeFacts = {}) =>
    render(outcome(data, { returnsMcpContent: true, ...more }));

  it.each([[{ content: 'text' }], [{ content: [{ type: 'video' }] }], [[]], ['null']])(
    'is shown as data if it is not valid content: %j',
    (data) => {
      expect(textsOf(own(data))[0]).toContain('sky_now: a response.');
    },
  );

  it('is a failure if it says so, or if the response is one', () => {
    const content = [{ type: 'text', text: 'a' }];
    expect(own({ content, isError: true })).toMatchObject({ content, isError: true });
    expect(own({ content }, { isError: true })).toMatchObject({ content, isError: true });
  });
});

it('Media is a block of its type, without the parameters of that', () => {
  const audio = { contentType: 'audio/wav; rate=8', bytes: 3, base64: 'AAAA' };
  const block = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };
  expect(render(outcome(audio)).content[1]).toEqual(block);
});

describe('a call without a response', () => {
  const failure = (error: GatewayError) => read(renderFailure('sky_now', error));

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
});

const head = (facts: OutcomeFacts, provenance: Partial<Provenance> = {}): string[] =>
  headOf(makeOutcome({ ...facts, provenance: { ...PROVENANCE, ...provenance } })).split('\n');

describe('the headline of an answer', () => {
  it.each<[OutcomeFacts, string]>([
    [{ rows: 0 }, 'no rows: nothing was found'],
    [{ rows: 1 }, '1 row'],
    [{ rows: 2 }, '2 rows'],
    [{ rows: 2, count: { returned: 2, omitted: 1, total: null, next: null } }, '2 of 3 rows'],
    [{ rows: 2, count: { returned: 2, omitted: 0, total: 365, next: null } }, '2 of 365 rows'],
    [{}, 'a response'],
  ])('says how much there is: %j', (facts, amount) => {
    expect(head(facts)[0]).toBe(`sky_now: ${amount}. Source: Sky. Fetched now.`);
  });

  it('says what was asked, of which time the data are, and from whom they come', () => {
    const asked = { day: '20261122', codes: ['a', 'b'], text: 'two\nlines', left: null };
    const source = { ...PROVENANCE.source, attribution: 'The Agency, CC BY' };
    expect(head({ rows: 1 }, { asked, asOf: '2026-11-22', source })).toEqual([
      'sky_now: 1 row for day=20261122, codes=["a","b"], text=two lines. Data of 2026-11-22. Source: The Agency, CC BY. Fetched now.',
    ]);
  });

  it('says by what the rows were filtered, also if none is left', () => {
    const where = { fcstDate: '20261121', tmp: { from: 3 } };
    const count = { returned: 0, omitted: 0, total: 0, next: null };
    expect(head({ rows: 9, count, kind: 'ok', where }, { asked: { nx: 60 } })[0]).toBe(
      'sky_now: 0 rows for nx=60 where fcstDate=20261121, tmp={"from":3}. Source: Sky. Fetched now.',
    );
  });

  it('is bounded, however long the arguments are', () => {
    const [line = ''] = head({}, { asked: { q: 'x'.repeat(10_000) } });
    expect(line.length).toBeLessThan(500);
  });

  it('says how old a cached answer is', () => {
    expect(head({ cacheStatus: 'HIT' }, { ageSeconds: 7300 })[0]).toContain('Fetched 2 hours ago.');
    expect(head({ cacheStatus: 'HIT' })[0]).toContain('From the cache.');
  });

  it('begins with what the sandbox made up', () => {
    expect(head({}, { isSample: true })[0]).toMatch(/^SAMPLE, made up by the sandbox/);
  });
});

describe('the notes on an answer', () => {
  it('say how to get more', () => {
    const hint = 'There are 30 rows in all; page=2 gives the next ones.';
    const count = { returned: 1, omitted: 0, total: 30, next: { page: 2 }, hint };
    expect(head({ rows: 1, count })[1]).toBe(`Note: ${hint}`);
  });

  it('say that an earlier publication was taken, and when the next one is due', () => {
    const nextPublication = '2026-11-22T08:15:00.000Z';
    expect(head({ rows: 1 }, { steppedBack: 1, nextPublication }).slice(1)).toEqual([
      'Note: The latest publication has no data yet; this is the one before it.',
      `Note: The next publication is due at ${nextPublication}.`,
    ]);
    expect(head({ rows: 1 }, { steppedBack: 3 })[1]).toContain('the one 3 before it');
    expect(head({ rows: 1 }, { nextPublication })).toHaveLength(1);
    expect(head({ rows: 0 }, { nextPublication })).toHaveLength(2);
  });

  it('say that an answer is stale', () => {
    expect(head({ cacheStatus: 'STALE' }, { ageSeconds: 120 })[1]).toBe(
      'Note: The source is failing; this is an older answer, of 2 minutes ago.',
    );
  });
});

describe('any response', () => {
  const outcome = (data: unknown, isError: boolean, tool = 'sky_now'): CallOutcome =>
    makeOutcome({
      tool,
      server: 'Sky "1"',
      url: 'https://sky.example/?q="',
      status: isError ? 404 : 200,
      json: Buffer.from(JSON.stringify(data)),
      isError,
    });

  /** The result as a client reads it (it must be JSON), and the parts of its text. */
  function render(shown: CallOutcome, maxCharacters: number, style: ResultStyle = 'full') {
    const { members, meta } = renderOutcome(shown, { style, maxCharacters });
    const text = Buffer.concat(members.map((piece) => Buffer.from(piece))).toString();
    const result = JSON.parse(`{${text},"_meta":{${meta}}}`);
    const whole: string = result.content[0].text;
    const end = whole.indexOf('\n\n');
    const [head, body] = end < 0 ? [whole, ''] : [whole.slice(0, end), whole.slice(end + 2, -1)];
    return { result, whole, head, body, note: head.includes('\nNote: Only the first') };
  }

  const maxCharacters = fc.integer({ min: 200, max: 400 });
  /** Characters that need an escape, characters of several bytes, and plain ones. */
  const words = fc.string({
    unit: fc.constantFrom('a', ' ', '"', '\\', '\n', '\u0001', 'é', '한', '😀'),
    maxLength: 120,
  });
  const isText = (data: unknown): boolean =>
    typeof data === 'object' && data !== null && Object.keys(data)[0] === 'text';
  const data = fc
    .oneof(fc.jsonValue(), words, fc.dictionary(words, fc.oneof(words, fc.double())))
    // JSON does not preserve -0.
    .map((value): unknown => JSON.parse(JSON.stringify(value)))
    .filter((value) => !isText(value));

  describe('the result of any response', () => {
    it('contains the complete data, and as much of its text as fits', () => {
      fc.assert(
        fc.property(data, maxCharacters, fc.boolean(), (value, limit, isError) => {
          const json = JSON.stringify(value);
          const { result, whole, body, note } = render(outcome(value, isError), limit);
          expect(result.data).toEqual(value);
          expect(json.startsWith(body)).toBe(true);
          expect(body.isWellFormed()).toBe(true);
          expect(whole.endsWith('\n')).toBe(true);
          expect(note).toBe(body !== json);
          if (!note && body) expect(whole.length).toBeLessThanOrEqual(limit);
          expect(result.isError).toBe(isError ? true : undefined);
          expect(result).not.toHaveProperty('structuredContent');
        }),
      );
    });

    it('has structured content that fits its schema, where it was asked for', () => {
      const validate = new Ajv2020({ strictTypes: false }).compile(STRUCTURED_SCHEMA);
      fc.assert(
        fc.property(data, maxCharacters, fc.boolean(), (value, limit, isError) => {
          const { result } = render(outcome(value, isError), limit, 'structured');
          expect(validate(result.structuredContent), JSON.stringify(validate.errors)).toBe(true);
          expect(result).not.toHaveProperty('data');
        }),
      );
    });

    it('shows plain text unquoted, and as much of it as fits', () => {
      fc.assert(
        fc.property(words, maxCharacters, (text, limit) => {
          const { result, body, note } = render(outcome({ text }, false), limit);
          expect(result).toMatchObject({ data: { text } });
          expect(text.startsWith(body)).toBe(true);
          expect(note).toBe(body !== text);
        }),
      );
    });

    it('escapes the names of the tool and the server, and the URL', () => {
      const { result, head } = render(outcome({}, false, 'a"b'), 500);
      expect(head).toBe('a"b: a response. Source: Sky "1". Fetched now.');
      expect(result).toMatchObject({
        tool: 'a"b',
        upstream: { url: 'https://sky.example/?q="' },
        _meta: { 'toolgateway/upstream': { url: 'https://sky.example/?q="' } },
      });
    });
  });
});
