import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { available } from '../../../test/support/available.ts';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import type { JsonSchema, ValueNames } from '../model.ts';
import { createArgumentValidator } from './argument-validator.ts';
import { createMeaningReader, type ReadMeaning } from './lenient-arguments.ts';
import { resolveNothing } from './resolve-code.ts';

const PROPERTIES: Readonly<Record<string, JsonSchema>> = {
  count: { type: 'integer', minimum: 1 },
  share: { type: 'number' },
  flag: { type: 'boolean' },
  day: { type: 'string', pattern: '^\\d{8}$' },
  dashed: { type: 'string', format: 'date' },
  unit: { type: 'string', enum: ['C', 'F', 'Ab', 'aB'] },
  names: { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 5 },
  numbers: { type: 'array', items: { type: 'number' } },
  list: { type: 'string', pattern: '^[A-Z]+([,;][A-Z]+)*$', examples: ['A;B'] },
  text: { type: 'string' },
  ['__proto__']: { type: 'string' },
};

const toolOf = (properties: Readonly<Record<string, JsonSchema>>) => ({
  inputSchema: { type: 'object', properties, required: ['count'], additionalProperties: false },
  codeKinds: new Map<string, string>(),
  valueNames: new Map<string, ValueNames>(),
  personal: [] as string[],
});

const tool = toolOf(PROPERTIES);
const validate = createArgumentValidator(tool);
const readerOf =
  (of: Parameters<typeof createMeaningReader>[0]) =>
  (...call: Parameters<ReadMeaning>) =>
    available(createMeaningReader(of)(...call));
const read = readerOf(tool);
const readAlone = (args: Record<string, unknown>) => read(args, resolveNothing);

const pathsOf = (args: Record<string, unknown>) =>
  new Set(validate({ ...args }).map(({ path }) => path.split('/')[1]));

const nearMiss = fc.oneof(
  fc.string(),
  fc.integer().map(String),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(
    null,
    '',
    'true',
    '2026-11-22',
    '20261122',
    'c',
    'ab',
    'A,B',
    'A; B',
    '1,2',
    '["a"]',
    '05:00',
    '[[[',
    '{"a":',
  ),
  fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 4 }),
  fc.json().map((text) => JSON.parse(text)),
);

const anyArguments = fc.dictionary(
  fc.oneof(fc.constantFrom(...Object.keys(PROPERTIES), 'lat', 'place'), fc.string()),
  nearMiss,
  { maxKeys: 6 },
);

/** What a text holds as JSON. */
function heldIn(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}

describe('the reader of arguments', () => {
  it('changes nothing that fits, and what it changes fits, is the JSON of a text, or stays away', () => {
    fc.assert(
      fc.property(anyArguments, (given) => {
        const refused = pathsOf({ count: 1, ...given });
        const before = structuredClone(given);
        const { meant } = readAlone(given);
        expect(given).toEqual(before);
        const left = pathsOf({ count: 1, ...meant });
        for (const name of Object.keys(given)) {
          if (!Object.hasOwn(PROPERTIES, name) || !refused.has(name)) {
            expect(meant[name]).toEqual(given[name]);
          } else if (Object.hasOwn(meant, name) && meant[name] !== given[name]) {
            if (left.has(name))
              expect([given[name], heldIn(given[name])]).toContainEqual(meant[name]);
          }
        }
      }),
      { numRuns: MANY_RUNS },
    );
  });

  it.each([
    [{ type: 'string', pattern: '^\\d{6}$', examples: ['005930'] }, 5930, '005930'],
    [{ type: 'string', pattern: '^[0-9A-Z]{1,6}$', examples: ['005930'] }, 5930, '005930'],
    [{ type: 'string', pattern: '^\\d{6}$', examples: ['123456'] }, 5930, 5930],
    [{ type: 'string', pattern: '^\\d{6}$', examples: ['005930'] }, 123456, '123456'],
    [{ type: 'string', pattern: '^\\d+$', examples: ['005930'] }, 5930, 5930],
    [{ type: 'string', pattern: '^\\d{6}$', examples: ['005930'] }, -5930, -5930],
    [{ type: 'string', pattern: '^\\d{6}$', examples: ['005930'] }, 5.93, 5.93],
  ])('gives a code of %j that is the number %j its zeros: %j', (schema, given, meant) => {
    const readCode = readerOf(toolOf({ code: schema }));
    expect(readCode({ code: given }, resolveNothing).meant).toEqual({ code: meant });
  });

  it.each<[JsonSchema, unknown, unknown]>([
    [{ type: 'string', enum: ['01', '02'] }, '2', '02'],
    [{ type: 'string', enum: ['1.0', '1.1'] }, 1, '1.0'],
    [{ type: 'string', enum: ['02', '2.0'] }, '3', '3'],
    [{ type: 'string', pattern: '^(0[1-9]|1[0-2])$' }, 3, '03'],
    [{ type: 'string', pattern: '^([01]\\d|2[0-3])$' }, '9', '09'],
    [{ type: 'string', pattern: '^\\d{2}$' }, 9, 9],
    [{ type: 'string', pattern: '^[A-Z]{2}\\d$' }, 'Kr7', 'KR7'],
    [{ type: 'string' }, 2, '2'],
    [{ type: ['string', 'null'] }, 1.5, '1.5'],
    [{ type: 'string' }, 1e21, 1e21],
    [{ type: 'string', examples: ['0012'] }, 12, 12],
    [{ type: 'integer' }, '1,000', 1000],
    [{ type: 'integer' }, '1 000 000', 1_000_000],
    [{ type: 'integer' }, '1,00', '1,00'],
    [{ type: 'number' }, '1,000', '1,000'],
    [{ type: 'string', pattern: '^\\d{6}$', examples: ['005930'] }, '005 930', '005930'],
    [{ type: 'string', pattern: '^\\d+$', examples: ['1234567'] }, '123-45-67', '1234567'],
    [{ type: 'string', pattern: '^\\d+$', examples: ['123'] }, '1 2 3', '1 2 3'],
    [{ type: 'string', pattern: '^\\d+$', examples: ['20261122'] }, '2026-11-31', '2026-11-31'],
  ])('takes by %j %j as %j', (schema, given, meant) => {
    const readOne = readerOf(toolOf({ value: schema }));
    expect(readOne({ value: given }, resolveNothing).meant).toEqual({ value: meant });
  });

  it('takes a day as the first or last instant of a range, where the name says which end it is', () => {
    const instant = { type: 'string', pattern: '^\\d{12}$' };
    const hour = { type: 'string', pattern: '^\\d{10}$' };
    const second = { type: 'string', pattern: '^\\d{14}$' };
    const iso = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$' };
    const properties = {
      inqryBgnDt: instant,
      inqryEndDt: instant,
      from_time: hour,
      until: second,
      startTime: iso,
      endpointTime: instant,
      startEnd: instant,
      time: instant,
    };
    const day = '2026-03-01';
    const given = Object.fromEntries(Object.keys(properties).map((name) => [name, day]));
    expect(readerOf(toolOf(properties))(given, resolveNothing).meant).toEqual({
      ...given,
      inqryBgnDt: '202603010000',
      inqryEndDt: '202603012359',
      from_time: '2026030100',
      until: '20260301235959',
      startTime: '2026-03-01T00:00:00',
    });
    const readDay = (value: unknown) =>
      readerOf(toolOf({ end: instant }))({ end: value }, resolveNothing).meant['end'];
    expect(readDay(20260301)).toBe('202603012359');
    expect(readDay('2026-02-30')).toBe('2026-02-30');
    expect(readDay('2026-03')).toBe('2026-03');
  });

  it('takes a name of a value for the value, and lists the values that share a name', () => {
    const names = { Y: ['KOSPI', '유가증권 시장'], K: ['KOSDAQ', 'market'], N: ['Market'] };
    const reader = readerOf({
      ...toolOf({ market: { type: 'string', enum: ['Y', 'K', 'N'] } }),
      valueNames: new Map([['market', names]]),
    });
    const marketOf = (market: unknown) => reader({ market }, resolveNothing).meant['market'];
    expect(['kospi', ' Kos-daq', '유가증권시장'].map(marketOf)).toEqual(['Y', 'K', 'Y']);
    expect(['', '-', 'KOS', 'toString'].map(marketOf)).toEqual([undefined, '-', 'KOS', 'toString']);
    expect(reader({ market: 'market' }, resolveNothing).issues).toEqual([
      { path: '/market', message: 'is "market": choose one of "K", "N".' },
    ]);
  });

  it('leaves a number that may have lost its zeros and is a name of another code', () => {
    const schema = { type: 'string', pattern: '^\\d{8}$', examples: ['00126380'] };
    const reader = readerOf({
      ...toolOf({ corp: schema }),
      codeKinds: new Map([['corp', 'company']]),
    });
    const tickers = { code: '01515323' };
    expect(reader({ corp: 373220 }, () => tickers).issues).toEqual([
      { path: '/corp', message: 'is "373220": choose one of "00373220", "01515323".' },
    ]);
    expect(reader({ corp: 126380 }, resolveNothing).meant).toEqual({ corp: '00126380' });
  });

  it('leaves what may mean several values, and lists them', () => {
    expect(readAlone({ count: 1, unit: 'AB' })).toEqual({
      meant: { count: 1, unit: 'AB' },
      issues: [{ path: '/unit', message: 'is "AB": choose one of "Ab", "aB".' }],
    });
    expect(readAlone({ count: 1, list: ['A', 'B'] }).issues).toEqual([
      { path: '/list', message: 'is "A,B": choose one of "A,B", "A;B".' },
    ]);
  });

  it('leaves a required argument that is null, and a number that a double cannot hold', () => {
    const given = { count: null, share: `1${'0'.repeat(400)}` };
    expect(readAlone(given).meant).toEqual(given);
    expect(readAlone({ count: '12345678901234567890' }).meant).toEqual({
      count: '12345678901234567890',
    });
  });

  it('reads no text of more than 4096 characters, no list of more than 1000 values, and no more than 200 arguments', () => {
    const long = { names: `a,${'b'.repeat(5000)}`, list: Array.from({ length: 1001 }, () => 'A') };
    expect(readAlone(long).meant).toEqual(long);
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`a${n}`, n]));
    expect(readAlone({ ...many, count: '1' }).meant['count']).toBe('1');
  });

  it('reads the JSON of an object or a list of up to 262,144 characters and 64 levels, with every digit of its numbers', () => {
    const readObject = readerOf(toolOf({ where: { type: 'object' }, text: { type: 'string' } }));
    const meantBy = (where: unknown) => readObject({ where }, resolveNothing).meant['where'];
    expect(meantBy(' {"a": [1]}\n')).toEqual({ a: [1] });
    const long = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;
    expect(meantBy(long(262_144))).toHaveProperty('a');
    const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(meantBy(nested(63))).toHaveProperty('a');
    const digits = '{"a":12345678901234567890}';
    expect(JSON.stringify(meantBy(digits))).toBe(digits);
    for (const unread of [long(262_145), nested(64), '{"a":', 'a']) {
      expect(meantBy(unread)).toBe(unread);
    }
  });

  it('leaves out what hosts add to every call, but not where the tool has an argument of that name', () => {
    const added = { toolCallId: 'c', sessionId: 's', action: 'a', chatInput: 'i' };
    expect(readAlone({ count: 1, ...added, other: 1 }).meant).toEqual({ count: 1, other: 1 });
    const taking = readerOf(toolOf({ action: { type: 'string' } }));
    expect(taking({ ...added }, resolveNothing).meant).toEqual({ action: 'a' });
    const large = readerOf(
      toolOf(Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`p${n}`, {}]))),
    );
    expect(large({ ...added, count: 'x' }, resolveNothing).meant).toEqual({ count: 'x' });
  });

  it('looks up no name of more than 100 characters', () => {
    const schema = { code: { type: 'string', pattern: '^\\d$' } };
    const reader = readerOf({ ...toolOf(schema), codeKinds: new Map([['code', 'district']]) });
    const lookUp = () => ({ code: '1' });
    expect(reader({ code: 'x'.repeat(100) }, lookUp).meant).toEqual({ code: '1' });
    expect(reader({ code: 'x'.repeat(101) }, lookUp).meant).toEqual({ code: 'x'.repeat(101) });
  });

  it('never throws, whatever members an object has', () => {
    const odd = { toString: 1, valueOf: null };
    const given = { count: odd, day: [odd], unit: odd, names: odd };
    expect(readAlone(given).meant).toEqual(given);
    const schema = { code: { type: 'string', enum: ['a'], examples: [odd], default: odd } };
    const reader = readerOf(toolOf(schema));
    expect(reader({ code: 5 }, resolveNothing).meant).toEqual({ code: 5 });
  });

  it('gives personal data no other names', () => {
    const schema = { lat: { type: 'number' }, lon: { type: 'number' } };
    const reader = readerOf({ ...toolOf(schema), personal: ['lat'] });
    expect(reader({ latitude: 1, lng: 2 }, resolveNothing).meant).toEqual({ latitude: 1, lon: 2 });
  });
});
