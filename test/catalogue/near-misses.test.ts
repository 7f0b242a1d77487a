import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCodeTables } from '../../src/codes/code-tables.ts';
import { COMPANY_KIND } from '../../src/codes/companies/company-file.ts';
import { own, ownObject } from '../../src/platform/kernel/plain-json.ts';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import type { JsonSchema, Tool } from '../../src/tools/model.ts';
import { exampleArguments } from '../../src/tools/request/example-arguments.ts';
import { valueNamesOf } from '../../src/tools/request/lenient-arguments.ts';
import { otherTimeForms } from '../../src/tools/request/near-dates.ts';
import {
  type CheckedArguments,
  createArgumentReader,
  rulesOf,
} from '../../src/tools/request/read-arguments.ts';
import { type ResolveCode, resolveNothing } from '../../src/tools/request/resolve-code.ts';
import { available } from '../support/available.ts';
import { SHIPPED_PRESETS } from '../support/sandboxed-presets.ts';

const { presets } = await loadPresets({ dir: SHIPPED_PRESETS, domain: PUBLIC_DATA_TOOLS });
const TOOLS = presets.flatMap(({ tools }) => tools);
const codes = createCodeTables({ dir: resolve(import.meta.dirname, '../../codes') });
const resolveCode: ResolveCode = (kind, text, argument) =>
  kind === COMPANY_KIND ? resolveNothing() : codes.resolve(kind, text, argument);

const READERS = new Map(TOOLS.map((tool) => [tool, createArgumentReader(rulesOf(tool))]));

/** The arguments of an example of a tool, with one of them replaced, as they are read. */
function read(tool: Tool, name: string, given: unknown): CheckedArguments {
  const reader = READERS.get(tool);
  if (!reader) throw new Error(tool.name);
  return available(reader({ ...exampleArguments(tool), [name]: given }, resolveCode));
}

/** A value that is nearly right, and the one that is meant; no meaning: it must be refused. */
type NearMiss = readonly [given: unknown, meant?: unknown];

function* nearMissesOf(tool: Tool, name: string, schema: JsonSchema): Generator<NearMiss> {
  const values = [own(schema, 'enum') ?? own(schema, 'examples') ?? []].flat();
  for (const value of values) {
    if (typeof value === 'number') yield [` ${value} `, value];
    if (typeof value !== 'string') continue;
    yield [` ${value} `, value];
    yield* inOtherCases(value);
    yield* asNumbers(value, own(schema, 'pattern') ?? own(schema, 'enum'));
    yield* asOtherTimes(value, name);
  }
  for (const [value, names] of Object.entries(valueNamesOf(tool).get(name) ?? {})) {
    for (const known of names)
      yield* [
        [known, value],
        [known.toUpperCase(), value],
      ] as const;
  }
}

function* inOtherCases(value: string): Generator<NearMiss> {
  if (!/^[\w.-]*[A-Za-z][\w.-]*$/.test(value)) return;
  const mixed = value.charAt(0).toUpperCase() + value.slice(1).toLowerCase();
  for (const other of [value.toLowerCase(), value.toUpperCase(), mixed]) yield [other, value];
}

function* asNumbers(value: string, codes: unknown): Generator<NearMiss> {
  if (!/^\d+$/.test(value) || codes === undefined) return;
  if (value.length < 16) yield [Number(value), value];
  if (value.length < 5 || otherTimeForms(value).length > 0) return;
  yield [`${value.slice(0, 3)} ${value.slice(3)}`, value];
  yield [`${value.slice(0, 3)}-${value.slice(3)}`, value];
}

/** The ends of ranges of instants, which the names of shipped tools spell like this. */
const BEGIN = /Bgn/;
const END = /End/;

function* asOtherTimes(value: string, name: string): Generator<NearMiss> {
  for (const form of otherTimeForms(value)) yield [form, value];
  const [day] = /^\d{8}(?=\d\d)/.exec(value) ?? [];
  if (day === undefined || otherTimeForms(day).length === 0) return;
  const clock = BEGIN.test(name) ? '0000' : END.test(name) ? '2359' : undefined;
  for (const form of otherTimeForms(day)) {
    yield clock === undefined ? [form] : [form, day + clock];
  }
}

/** What a refusal must say, so that the next attempt is right. */
const SAYS_WHAT_IS_RIGHT =
  /such as "|must be one of|choose one of|send it (?:in|without) quotes|must be (?:a string|an integer|a number|at least)/;

function check(tool: Tool, name: string, [given, meant]: NearMiss): string | undefined {
  const result = read(tool, name, given);
  const issue = result.issues.find(({ path }) => path === `/${name}`);
  const value = result.meant[name];
  const where = `${tool.name} ${name} ${JSON.stringify(given)}`;
  if (!issue) {
    const isMeant = String(value) === String(meant) || (value === given && meant !== undefined);
    return isMeant ? undefined : `${where} became ${JSON.stringify(value)}`;
  }
  if (value !== given) return `${where} is refused and became ${JSON.stringify(value)}`;
  return SAYS_WHAT_IS_RIGHT.test(issue.message) ? undefined : `${where}: ${issue.message}`;
}

const CASES = TOOLS.flatMap((tool) =>
  Object.entries(ownObject(tool.inputSchema, 'properties')).flatMap(([name, schema]) =>
    [...nearMissesOf(tool, name, schema as JsonSchema)].map(
      (nearMiss) => [tool, name, nearMiss] as const,
    ),
  ),
);

describe('an argument of a shipped tool that is nearly right', () => {
  it('is corrected to what is meant, or refused with what would be right', () => {
    expect(CASES.length).toBeGreaterThan(2000);
    expect(CASES.map((one) => check(...one)).filter(Boolean)).toEqual([]);
  });

  it('is corrected in all but a few cases', () => {
    const corrected = CASES.filter(
      ([tool, name, [given, meant]]) =>
        meant !== undefined && read(tool, name, given).meant[name] === meant,
    );
    expect(corrected.length / CASES.length).toBeGreaterThan(0.9);
  });

  it('is the same within a list, a record and a text with commas', () => {
    const meant = (tool: string, argument: string, given: unknown) => {
      const found = TOOLS.find(({ name }) => name === tool);
      const result = found && read(found, argument, given);
      return result?.issues.length === 0 ? result.meant[argument] : result?.issues;
    };
    const written = [['120-81-47521'], '120-81-47521', [1208147521], '["120-81-47521"]'];
    for (const given of written) {
      expect(meant('nts_business_status', 'b_no', given)).toEqual(['1208147521']);
    }
    const record = {
      b_no: '120-81-47521',
      start_dt: '2000-01-01',
      p_nm: '홍길동',
      corp_no: '130111-0006246',
    };
    for (const given of [record, [record], JSON.stringify(record), [{ ...record, b_nm: null }]]) {
      expect(meant('nts_business_validate', 'businesses', given)).toMatchObject([
        { b_no: '1208147521', start_dt: '20000101', p_nm: '홍길동', corp_no: '1301110006246' },
      ]);
    }
    expect(meant('frankfurter_rates', 'base', 'usd')).toBe('USD');
    for (const given of ['krw, jpy', ['KRW', 'jpy'], 'Krw;JPY', '["krw","jpy"]']) {
      expect(meant('frankfurter_rates', 'quotes', given)).toBe('KRW,JPY');
    }
  });

  it('is the name of a province in Korean or English, however the service writes it', () => {
    const named = (tool: string, argument: string, given: unknown) => {
      const found = TOOLS.find(({ name }) => name === tool);
      return found && read(found, argument, given).meant[argument];
    };
    const written = ['Seoul', '서울특별시', 'Gyeonggi-do', '전라북도', 'north jeolla'];
    expect(written.map((one) => named('airkorea_sido_realtime', 'sidoName', one))).toEqual([
      '서울',
      '서울',
      '경기',
      '전북',
      '전북',
    ]);
    expect(written.map((one) => named('khs_heritage_search', 'ccbaCtcd', one))).toEqual([
      '11',
      '11',
      '31',
      '35',
      '35',
    ]);
    expect(named('data4library_popular_books', 'region', 'Busan')).toBe('21');
  });
});
