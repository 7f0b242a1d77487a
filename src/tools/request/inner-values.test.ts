import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { available } from '../../../test/support/available.ts';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import type { JsonSchema } from '../model.ts';
import { createArgumentValidator } from './argument-validator.ts';
import { createMeaningReader } from './lenient-arguments.ts';
import { withParsedTexts } from './parse-texts.ts';
import { type ResolveCode, resolveNothing } from './resolve-code.ts';

const NUMBER = { type: 'string', pattern: '^\\d{10}$' };
const DAY = { type: 'string', pattern: '^\\d{8}$', examples: ['20261122'] };
const RECORD = {
  type: 'object',
  required: ['no'],
  additionalProperties: false,
  properties: { no: NUMBER, day: DAY, name: { type: 'string' }, count: { type: 'integer' } },
};
const PROPERTIES: Readonly<Record<string, JsonSchema>> = {
  numbers: {
    type: 'array',
    maxItems: 5,
    items: { type: 'string', pattern: '^\\d+$' },
    examples: [['1208147521']],
  },
  days: { type: 'array', items: DAY },
  records: { type: 'array', items: RECORD },
  nullable: { anyOf: [{ type: 'null' }, { type: 'array', items: { $ref: '#/$defs/Day' } }] },
  record: RECORD,
  day: DAY,
  groups: { type: 'array', items: { type: 'array', items: DAY } },
  currencies: { type: 'string', pattern: '^[A-Z]{3}(,[A-Z]{3})*$' },
  dates: { type: 'string', pattern: '^\\d{8}(;\\d{8})*$', examples: ['20261121;20261122'] },
  company: { type: 'string', pattern: '^\\d{8}$', examples: ['00126380'] },
  companies: { type: 'array', items: { type: 'string', pattern: '^\\d{8}$' } },
};
const inputSchema = { type: 'object', properties: PROPERTIES, $defs: { Day: DAY } };
const readMeaning = createMeaningReader({
  inputSchema,
  codeKinds: new Map([
    ['company', 'company'],
    ['companies', 'company'],
  ]),
  valueNames: new Map(),
  personal: [],
});
const validate = createArgumentValidator({ inputSchema });
const read = (given: Record<string, unknown>, resolveCode: ResolveCode = resolveNothing) =>
  available(readMeaning(given, resolveCode));
const meant = (name: string, value: unknown) => read({ [name]: value }).meant[name];

describe('a value in a list or an object', () => {
  it.each<[name: string, given: unknown, meant: unknown]>([
    ['numbers', ['120-81-47521'], ['1208147521']],
    ['numbers', '120-81-47521', ['1208147521']],
    ['numbers', '120-81-47521, 220 81 62517', ['1208147521', '2208162517']],
    ['numbers', '["120-81-47521"]', ['1208147521']],
    ['numbers', [1208147521, '220-81-62517'], ['1208147521', '2208162517']],
    ['days', ['2026-11-22', '2026.11.23', '20261124'], ['20261122', '20261123', '20261124']],
    ['days', '2026-11-22', ['20261122']],
    ['nullable', '2026-11-22', ['20261122']],
    ['records', { no: '120-81-47521', day: '2026-11-22' }, [{ no: '1208147521', day: '20261122' }]],
    ['records', '{"no": "120-81-47521", "count": "3"}', [{ no: '1208147521', count: 3 }]],
    ['records', [{ no: 1208147521, name: null }], [{ no: '1208147521' }]],
    ['record', '{"no": "120-81-47521"}', { no: '1208147521' }],
    ['record', [{ no: '120-81-47521' }], { no: '1208147521' }],
    ['day', ['2026-11-22'], '20261122'],
    ['day', '["2026-11-22"]', '20261122'],
    ['currencies', '["usd", "eur"]', 'USD,EUR'],
    ['groups', [['2026-11-22'], '2026-11-23'], [['20261122'], ['20261123']]],
    ['currencies', 'usd', 'USD'],
    ['currencies', ['usd', 'Eur'], 'USD,EUR'],
    ['currencies', 'usd; eur', 'USD,EUR'],
    ['dates', ['2026-11-21', '2026-11-22'], '20261121;20261122'],
  ])('of %s is read as it would be outside: %j', (name, given, value) => {
    expect(meant(name, given)).toEqual(value);
    expect(validate(read({ [name]: given }).meant)).toEqual([]);
  });

  it.each([
    ['numbers', ['120-81-47521', 'x']],
    ['numbers', Array.from({ length: 6 }, () => '120-81-47521')],
    ['numbers', ['120-81-4752']],
    ['numbers', ['12-31-2026']],
    ['days', Array.from({ length: 1001 }, () => '2026-11-22')],
    ['days', ['2026-02-30']],
    ['days', ['2026-11-22', null]],
    ['record', { day: '2026-11-22', unknown: 1 }],
    ['day', ['2026-11-22', '2026-11-23']],
    ['day', '11-22-2026'],
  ])('leaves %s as it is if something in it stays wrong: %j', (name, given) => {
    expect(meant(name, given)).toEqual(given);
  });

  it('is looked up by its name, and an issue names the place of the value', () => {
    const tickers: ResolveCode = (kind, text) =>
      kind === 'company' && text === '005930'
        ? { code: '00126380' }
        : { choices: text === 'Samsung' ? [{ code: '1', name: 'A' }] : [] };
    expect(read({ company: ['005930'], companies: ['00126380', '005930'] }, tickers).meant).toEqual(
      {
        company: '00126380',
        companies: ['00126380', '00126380'],
      },
    );
    expect(read({ companies: ['00126380', 'Samsung'] }, tickers).issues).toEqual([
      { path: '/companies/1', message: 'is "Samsung": choose one of 1 (A).' },
    ]);
  });

  it('never throws, and what is changed fits', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('120-81-47521', '2026-11-22', 'usd', '[1]', '{"no":1}', '1,2', ';'),
    );
    const inner = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        text,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(
          fc.oneof(fc.constantFrom('no', 'day', '__proto__'), fc.string()),
          tie('value'),
          {
            maxKeys: 3,
          },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(PROPERTIES)), inner, (name, given) => {
        const before = structuredClone(given);
        const { meant: result } = read({ [name]: given });
        expect(given).toEqual(before);
        // JSON in a text is read whether or not it fits, so that errors name the place within.
        const parsed = withParsedTexts({ [name]: given }, inputSchema)[name];
        if (Object.hasOwn(result, name) && !isDeepStrictEqual(result[name], parsed)) {
          expect(validate({ ...result })).toEqual([]);
        }
      }),
      { numRuns: MANY_RUNS },
    );
  });
});
