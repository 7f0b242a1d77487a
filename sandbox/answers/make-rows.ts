import { isObject } from '../../src/platform/kernel/plain-json.ts';
import { DAY, HOUR, type KoreanTime, MINUTE } from '../../src/public-data/korean-time.ts';
import { readCodes } from '../tables.ts';
import { between, increaseId, printFigure, readFigure, smooth, whole } from './figures.ts';
import { type Form, pairs, type Special, words } from './form.ts';
import { isUnknownCode, type Question } from './question.ts';
import type { Row } from './sample-format.ts';
import {
  endedStarts,
  latestStarts,
  readSpan,
  type Step,
  startsBetween,
  timeMover,
} from './times.ts';

/** All rows that an upstream has for a question. Only those of the requested page are made. */
interface Rows {
  readonly count: number;
  readonly at: (index: number) => Row;
}

const NONE: Rows = { count: 0, at: () => ({}) };

/** How far a range without its other end reaches. */
const REACH = 30 * DAY;

/** Rows that a search finds. */
const MANY = [120, 360] as const;

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '');

const mentions = (value: unknown, text: string): boolean =>
  isObject(value) || Array.isArray(value)
    ? Object.values(value).some((each) => mentions(each, text))
    : String(value).toLowerCase().includes(text.toLowerCase());

/** The period that a question asks for; null if what it says is no time, undefined if it says nothing. */
function askedSpan({ text }: Question, period: string, step: Step) {
  for (const alternative of words(period)) {
    const [first = '', last = first] = alternative
      .split('..')
      .map((names) => names.split('+').map(text).join(''));
    if (first === '' && last === '') continue;
    const [from, to = from] = first === last ? first.split(':') : [first, last];
    const [start, end] = [readSpan(from ?? '', step), readSpan(to ?? '', step)];
    if ((from && !start) || (to && !end)) return null;
    return { from: start?.from, to: end?.to };
  }
  return undefined;
}

const STEPS = { minute: MINUTE, '10 minutes': 10 * MINUTE, hour: HOUR, '6 hours': 6 * HOUR };

/** The step that a form names, or that a parameter names by itself or in words (`week`). */
function stepOf({ time: [, , name] = ['', '', ''] }: Form, { text }: Question): Step {
  const [parameter = '', otherwise] = name.split('|');
  if (otherwise === undefined) return Object.hasOwn(STEPS, name) ? STEPS[name as 'hour'] : name;
  return text(parameter).replace(/^([a-z]).*/, (_all, letter) => letter.toUpperCase()) || otherwise;
}

/** The times of the rows; for `spread`, the first and the last moment, or just the present if no period was asked for. */
function timesOf(form: Form, question: Question): readonly KoreanTime[] {
  const { time, until } = form;
  const { now } = question;
  if (!time) return [now];
  const step = stepOf(form, question);
  const newest = words(time[1]).find((name) => name.startsWith('#') && question.has(name.slice(1)));
  if (newest) return latestStarts(step, question.number(newest.slice(1)) ?? 1, now);
  const span = askedSpan(question, time[1], step);
  if (span === null) return [];
  if (!span && step === 'spread') return [now];
  const isAhead = until === 'ahead';
  if (!span && !isAhead) return latestStarts(step, 1, now, until === 'begun');
  const latest = span?.to ?? (isAhead ? (span?.from ?? now) + REACH : now);
  const to = isAhead ? latest : Math.min(latest, now);
  const from = span ? (span.from ?? to - REACH) : now;
  if (step === 'spread') return from > to ? [] : [from, to];
  const starts = startsBetween(step, from, to);
  return until ? starts : endedStarts(step, starts, now);
}

/** Columns and the parameters that they repeat, by their names or by what the form says. */
function echoesOf(form: Form, { asked, tool }: Question, template: Row): [string, string][] {
  const others = [...words(form.time?.[0]), ...pairs(form.name).map(([column]) => column)];
  const alike = asked.flatMap(({ name }): [string, string][] => {
    const column = [...Object.keys(template), ...(tool.payload.columns ?? [])].find((each) =>
      [plain(each), `like${plain(each)}`].includes(plain(name)),
    );
    return column === undefined || others.includes(column) ? [] : [[column, name]];
  });
  return [...alike, ...pairs(form.echo)];
}

/** What a parameter says in the type and the form of a column. */
function echoed(old: unknown, text: string): unknown {
  if (typeof old === 'number') return readFigure(text) ?? text;
  if (/^(true|false)$/.test(text)) return text === 'true';
  const known = String(old ?? '');
  if (known.includes(text)) return old;
  // The first digits of a longer code.
  return /^\d+$/.test(text) && /^\d[\d*]*$/.test(known) ? text + known.slice(text.length) : text;
}

/** Sets a column; a name with a dot leads into an object, or into the one object of a list. */
function withValue(row: Row, column: string, text: string): Row {
  const [outer = '', inner] = column.split('.');
  const old = row[outer];
  if (Array.isArray(old)) return { [outer]: [inner === undefined ? text : { [inner]: text }] };
  return { [outer]: inner === undefined ? echoed(old, text) : { ...Object(old), [inner]: text } };
}

/** The name behind a code in a table, or else the code. A code of two digits is that of a province. */
function nameOf(table: string, code: string, [from = 1, to = 2]: readonly number[]): string {
  const at = (line: readonly string[]): number =>
    code.length === 2 && table === 'legal-districts'
      ? line.findIndex((cell) => cell.startsWith(code))
      : line.indexOf(code);
  const lines = readCodes(table);
  const line = lines.find((each) => at(each) === 0) ?? lines.find((each) => at(each) > 0) ?? [];
  const cells = line.slice(at(line) + from, at(line) + to);
  return cells.join(' ').trim() || code;
}

const namesOf = ({ names }: Form, { text, asked }: Question, template: Row): Row =>
  Object.fromEntries(
    pairs(names).flatMap(([column, described]) => {
      const [table = '', parameters = '', from, to] = described.split(':');
      const code = parameters.split('+').map(text).join('');
      if (code === '') return [];
      const source = asked.find(({ name }) => name === parameters)?.source;
      const ofPreset =
        source && 'valueNames' in source ? source.valueNames?.[code]?.[0] : undefined;
      const cells = [from ?? 1, to ?? Number(from ?? 1) + 1].map(Number);
      const name = table === '' ? (ofPreset ?? code) : nameOf(table, code, cells);
      return [[column, typeof template[column] === 'number' ? (readFigure(name) ?? null) : name]];
    }),
  );

/** Rows of the sample that differ in more than times, figures and numbers. */
function templatesOf(form: Form, question: Question, sample: readonly Row[]): Row[] {
  const loose = [...words(form.time?.[0]), ...words(form.counters), ...figuresOf(form, question)];
  const byKey = new Map(sample.toReversed().map((row) => [keyOf(row, loose), row]));
  return [...byKey.values()].reverse();
}

const keyOf = (row: Row, loose: readonly string[]): string =>
  JSON.stringify(Object.entries(row).filter(([column]) => !loose.includes(column)));

/** Columns with figures: the form names them, or they have a unit, but not one whose zero means nothing. */
const figuresOf = ({ figures }: Form, { tool }: Question): string[] => [
  ...words(figures),
  ...Object.entries(tool.view.columns).flatMap(([column, { unit }]) =>
    unit && !/°|degrees|℃|hPa/.test(unit) ? [column] : [],
  ),
];

/** A number for the question, without its page. */
const seedOf = ({ asked, text, body }: Question): string =>
  `${asked.map(({ name }) => (/fields|sort|arrange/.test(name) ? '' : text(name))).join()}${JSON.stringify(body)}`;

const A_CODE = /^[\w-]*\d[\w-]*$/;

/** What a row is called that is not of the sample. */
function calledAs(old: unknown, asked: string, isSingle: boolean, index: number): string {
  const sample = /\p{Script=Hangul}/u.test(String(old)) ? '표본' : 'Sample';
  if (A_CODE.test(asked)) return `${sample} ${asked}`;
  return isSingle ? asked : `${asked || sample} ${index + 1}`;
}

/** Texts that are true of the rows of the sample only: those with words, unless they are codes with a meaning. */
function ownTexts(row: Row, { keep, ids }: Form, { tool }: Question): Row {
  const others = words(`${keep} ${ids}`);
  const own = Object.entries(row).filter(
    ([column, value]) =>
      typeof value === 'string' &&
      /\p{L}{2,}/u.test(value) &&
      !(others.includes(column) || tool.view.columns[column]?.codes),
  );
  return Object.fromEntries(own.map(([column]) => [column, '']));
}

/** Makes the row of a thing, without its time and its figures. */
function thingMaker(form: Form, question: Question, templates: readonly Row[]) {
  const { text, has } = question;
  const echoes = echoesOf(form, question, templates[0] ?? {}).filter(([, name]) => has(name));
  const [[column, parameters] = ['', '']] = pairs(form.name);
  const parameter = parameters.split('|').find((name) => has(name)) ?? '';
  const asked = text(parameter);
  const names = namesOf(form, question, templates[0] ?? {});
  const isSingle = has(...words(form.single));
  const offset = asked === '' ? 0 : whole(1_000, 90_000, asked);
  const isKnown = (template: Row): boolean =>
    (asked === '' || mentions(template, asked)) &&
    echoes.every(([name, from]) => name.includes('.') || mentions(template[name], text(from)));
  return (index: number, thing: Row): { row: Row; isOfSample: boolean } => {
    const template = templates[index % templates.length] ?? {};
    const isOfSample = index < templates.length && isKnown(template);
    const ids = words(form.ids).map((id) => [id, increaseId(template[id], offset + index)]);
    const made = [
      Object.fromEntries(ids),
      column === '' ? {} : ownTexts(template, form, question),
      column === '' ? {} : { [column]: calledAs(template[column], asked, isSingle, index) },
    ];
    const repeated = echoes.map(([name, from]) => withValue(template, name, text(from)));
    const row = Object.assign({}, template, ...(isOfSample ? [] : made), ...repeated, names, thing);
    return { row, isOfSample };
  };
}

/** All rows for a question, made of the rows of the sample. */
export function makeRows(
  form: Form,
  special: Special,
  question: Question,
  sample: readonly Row[],
): Rows {
  if (form.totals) return withTotals(form, question, sample);
  const isUnknown = question.asked.some(
    ({ name, source }) => 'codeKind' in source && isUnknownCode(question.text(name)),
  );
  const templates = templatesOf(form, question, sample);
  const times = timesOf(form, question);
  if (isUnknown || times.length === 0 || templates.length === 0) return NONE;
  const things = special.things?.(question, templates);
  const isSingle = question.has(...words(form.single));
  const many = form.count === 'many' ? whole(...MANY, seedOf(question)) : form.count;
  const each = things?.length ?? (isSingle ? 1 : (many ?? templates.length));
  const make = thingMaker(form, question, templates);
  const [column = ''] = words(form.time?.[0]);
  const isNewestFirst = String(sample[0]?.[column]) > String(sample[1]?.[column]);
  const isSpread = form.time?.[2] === 'spread' && times.length > 1;
  const [first = 0, last = 0] = times;
  const columns = form.time?.[2] === 'spread' && !isSpread ? [] : words(form.time?.[0]);
  const finish = finisher(form, special, question, columns);
  return {
    count: isSpread ? each : each * times.length,
    at(index) {
      const place = Math.floor(index / each);
      const time = isSpread
        ? Math.floor(last - ((index + 0.5) / each) * (last - first))
        : (times[isNewestFirst ? times.length - 1 - place : place] ?? first);
      const { row, isOfSample } = make(index % each, things?.[index % each] ?? {});
      return finish(row, time, index, isOfSample);
    },
  };
}

/** The rows after a row with their sums. */
function withTotals({ totals, ...form }: Form, question: Question, sample: readonly Row[]): Rows {
  const [total = {}, ...others] = sample;
  const { count, at } = makeRows(form, {}, question, others);
  const all = Array.from({ length: count }, (_, index) => at(index));
  const sums = figuresOf(form, question).map((column) => {
    const sum = all.reduce((before, row) => before + (readFigure(row[column]) ?? 0), 0);
    return [column, printFigure(sum, total[column])];
  });
  const first = { ...total, ...Object.fromEntries(sums) };
  return { count: count && count + 1, at: (index) => (index === 0 ? first : at(index - 1)) };
}

/** Gives a row its figures, which depend only on what else it says and on its time, then its times and numbers. */
function finisher(form: Form, { make }: Special, question: Question, columns: readonly string[]) {
  const repeated = pairs(form.echo).filter(([, name]) => question.has(name));
  const figures = figuresOf(form, question).filter(
    (column) => !repeated.some(([each]) => each === column),
  );
  const loose = [...figures, ...columns, ...words(form.counters)];
  const by = words(form.by).map(question.text).join();
  const step = form.time?.[2] === 'spread' ? 'D' : stepOf(form, question);
  return (row: Row, time: KoreanTime, index: number, isOfSample: boolean): Row => {
    const key = `${by}${keyOf(row, loose)}`;
    const change = (0.9 + 0.2 * smooth(time, 30 * DAY, key)) * between(0.99, 1.01, key, time);
    const factor =
      (isOfSample ? 1 : between(0.5, 1.5, key)) *
      (columns.length > 0 ? change : 1) *
      (form.ranked ? 1 / (1 + index / 4) : 1);
    const count = (column: string) => [column, inTypeOf(row[column], index + 1)];
    const finished = Object.assign(
      { ...row, ...scaled(row, figures, factor, question), ...moved(row, columns, time, step) },
      Object.fromEntries(words(form.counters).map(count)),
    );
    return { ...finished, ...make?.(finished, time, question) };
  };
}

function scaled(row: Row, columns: readonly string[], factor: number, { tool }: Question): Row {
  const figures = columns.flatMap((column) => {
    const figure = (readFigure(row[column]) ?? Number.NaN) * factor;
    const most = tool.view.columns[column]?.unit === '%' ? 99.9 : Number.POSITIVE_INFINITY;
    return Number.isNaN(figure) ? [] : [[column, printFigure(Math.min(figure, most), row[column])]];
  });
  return Object.fromEntries(figures);
}

const inTypeOf = (old: unknown, value: string | number): string | number =>
  typeof old === 'number' ? Number(value) : String(value);

/** The times of a row moved; `none` stands for the first if that is no column. */
function moved(row: Row, columns: readonly string[], time: KoreanTime, step: Step): Row {
  const shown = columns.filter((column) => column !== 'none');
  const mover = timeMover(String(row[shown[0] ?? ''] ?? ''), time, step);
  return Object.fromEntries(
    shown.map((column) => {
      const old = row[column] ?? '';
      const text = column === columns[0] ? mover.anchor : mover.others(String(old));
      return [column, inTypeOf(old, text)];
    }),
  );
}
