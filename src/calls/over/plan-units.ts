import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ArgumentIssue, invalidArguments } from '../../platform/kernel/error.ts';
import { isObject, own, ownObject, ownText } from '../../platform/kernel/plain-json.ts';
import { hasRows, type JsonSchema, type NativeRange, type Tool } from '../../tools/model.ts';
import type { CodeChoices } from '../../tools/request/resolve-code.ts';
import type { Arguments } from '../choose-rows.ts';
import { prepareTool } from '../prepare-call.ts';
import { piecesOf, rangeValues } from './range-values.ts';
import { MAX_REQUESTS, type OverEntry, type OverValues, readOver } from './read-over.ts';

/**
 * The codes of a kind below a place, or the places that are meant; undefined of a kind whose codes lie in no place. Throws
 * `invalid_arguments` for a text that is no name.
 */
export type FindCodesWithin = (
  kind: string,
  place: string,
  argument: string,
) =>
  | { readonly codes: readonly (readonly [code: string, name: string])[] }
  | CodeChoices
  | undefined;

/** The values of one argument, or of a pair of them, that vary. */
export interface Dimension {
  /** The argument, and the name of the column in front of the rows. */
  readonly name: string;
  readonly count: number;
  /** What the values mean, where they are codes that were found below a place. */
  readonly codes?: Readonly<Record<string, string>>;
  /** What the call gets for one of the values. */
  at(index: number): Arguments;
}

/** What a range asks for: one unit for each combination of values. */
export interface Units {
  readonly dimensions: readonly Dimension[];
  readonly count: number;
  /** What varies in the unit of this number, from 0. */
  at(index: number): Arguments;
}

/**
 * Reads `_over` of a call of a tool with rows. Throws `invalid_arguments`, which says for each entry what would be right.
 */
export function planUnits(tool: Tool, args: Arguments, codesWithin: FindCodesWithin): Units {
  const { entries, issues } = readOver(args['_over']);
  const found: ArgumentIssue[] = [...issues];
  const dimensions: Dimension[] = [];
  for (const entry of entries) {
    const dimension = dimensionOf(tool, entry, args, codesWithin);
    if (typeof dimension === 'string') found.push({ path: entry.path, message: dimension });
    else dimensions.push(dimension);
  }
  if (found.length > 0) throw invalidArguments(tool.name, found);
  const count = dimensions.reduce((product, each) => product * each.count, 1);
  return {
    dimensions,
    count,
    at: (index) => {
      let rest = index;
      const parts = dimensions.toReversed().map(({ count: own_, at }) => {
        const part = at(rest % own_);
        rest = Math.floor(rest / own_);
        return part;
      });
      return Object.assign({}, ...parts);
    },
  };
}

/** The dimension of one entry; a string says what is wrong with it. */
function dimensionOf(
  tool: Tool,
  { argument: name, values }: OverEntry,
  args: Arguments,
  codesWithin: FindCodesWithin,
): Dimension | string {
  const able = rangeable(tool);
  if (!able.includes(name)) return notRangeable(tool, name, able);
  const pair = tool.ranges?.find(({ from }) => from === name);
  const taken = [name, ...(pair ? [pair.to] : [])].find((each) => args[each] !== undefined);
  if (taken !== undefined)
    return `ranges over ${name}, and ${taken} is also given. Give it either here or there.`;
  if (pair && values.kind === 'range') return pairDimension(pair, values);
  const found = valuesOf(tool, name, values, codesWithin);
  if (typeof found === 'string') return found;
  return {
    name,
    count: found.count,
    ...(found.codes && { codes: found.codes }),
    at: (index) => {
      const value = found.at(index);
      return pair ? { [name]: value, [pair.to]: value } : { [name]: value };
    },
  };
}

function pairDimension(
  { from, to, step, max, exclusive = false }: NativeRange,
  values: Extract<OverValues, { kind: 'range' }>,
): Dimension | string {
  const pieces = piecesOf(values.from, values.to, { step, max, isExclusive: exclusive });
  if (typeof pieces === 'string') return pieces;
  return {
    name: from,
    count: pieces.count,
    at: (index) => {
      const piece = pieces.at(index);
      return { [from]: piece.from, [to]: piece.to };
    },
  };
}

function valuesOf(
  tool: Tool,
  name: string,
  values: OverValues,
  codesWithin: FindCodesWithin,
): (Pick<Dimension, 'count' | 'codes'> & { at(index: number): unknown }) | string {
  const schema = ownObject(ownObject(tool.inputSchema, 'properties'), name);
  if (values.kind === 'range') {
    const range = rangeValues(values.from, values.to, isTime(name, schema));
    if (typeof range === 'string') return range;
    const isNumber = isNumeric(schema);
    return {
      count: range.count,
      at: (index) => (isNumber ? Number(range.at(index)) : range.at(index)),
    };
  }
  if (values.kind === 'list') {
    const { values: listed } = values;
    return { count: listed.length, at: (index) => inType(schema, listed[index]) };
  }
  const found = codesOf(tool, name, values.place, codesWithin);
  if (typeof found === 'string') return found;
  return {
    count: found.length,
    codes: Object.fromEntries(found),
    at: (index) => inType(schema, found[index]?.[0]),
  };
}

/** Texts of a list as numbers, where the argument takes nothing else. */
const inType = (schema: JsonSchema, value: unknown): unknown =>
  isNumeric(schema) && typeof value === 'string' && Number.isFinite(Number(value))
    ? Number(value)
    : value;

/** The codes below a place; a string says what is wrong. */
function codesOf(
  tool: Tool,
  name: string,
  place: string,
  codesWithin: FindCodesWithin,
): readonly (readonly [code: string, name: string])[] | string {
  const kinds = kindsOf(tool);
  const kind = kinds.get(name);
  if (kind === undefined) {
    const able = [...kinds.keys()].join(', ') || 'none';
    return `takes no codes, so that nothing is within a place. Arguments with codes: ${able}. List the values instead: "${name}=a,b,c".`;
  }
  const found = codesWithin(kind, place, name);
  if (found && 'codes' in found && found.codes.length > 0) return found.codes;
  if (found && 'choices' in found && found.choices.length > 0) {
    const listed = found.choices.map((choice) => `${choice.name} (${choice.code})`).join(', ');
    return `is within ${quote(place)}, which may be ${listed}. Name one of them.`;
  }
  const codes = found ? 'has no codes there' : 'has codes that lie in no place';
  return `is within ${quote(place)}, but ${name} ${codes}. Name a province, a city or a district, such as "${name}=within:Seoul", or list the codes: "${name}=a,b,c". find_code with the kind ${kind} finds them.`;
}

const kindsOf = ({ parameters }: Tool): ReadonlyMap<string, string> =>
  new Map(
    parameters.flatMap(({ source }) =>
      source.kind === 'argument' && source.codeKind
        ? [[source.property, source.codeKind] as const]
        : [],
    ),
  );

/** The arguments that can vary: single values that are neither personal nor part of paging. */
function rangeable(tool: Tool): string[] {
  const excluded = new Set<string>([...tool.personal, ...pagingNames(tool)]);
  for (const { to } of tool.ranges ?? []) excluded.add(to);
  return Object.entries(ownObject(tool.inputSchema, 'properties'))
    .filter(([name, schema]) => !name.startsWith('_') && !excluded.has(name) && isSingle(schema))
    .map(([name]) => name);
}

/** The arguments by which pages follow one another. */
function pagingNames(tool: Tool): readonly string[] {
  const { paging, following } = prepareTool(tool);
  const { page, offset, size, cursor, lastId } = following ?? {};
  const names = [page, offset, size, cursor, lastId];
  if (paging?.kind === 'range') names.push(paging.start, paging.end);
  if (paging?.kind === 'pages') names.push(paging.page, paging.size ?? undefined);
  return names.filter((name) => name !== undefined);
}

function isSingle(schema: unknown): boolean {
  const types = isObject(schema) ? [own(schema, 'type') ?? []].flat() : [];
  return !types.some((type) => type === 'array' || type === 'object' || type === 'boolean');
}

/** How the values of an argument that can vary are named: by their ends, one by one, or as the codes below a place. */
export type RangeForm = 'range' | 'list' | 'within';

/** The arguments that can vary, with the form that suits each. */
export function rangeForms(
  tool: Tool,
  codesWithin: FindCodesWithin,
): Readonly<Record<string, RangeForm>> {
  const kinds = kindsOf(tool);
  const formOf = (name: string): RangeForm => {
    const kind = kinds.get(name);
    if (kind !== undefined) return codesWithin(kind, ANY_PLACE, name) ? 'within' : 'list';
    const schema = ownObject(ownObject(tool.inputSchema, 'properties'), name);
    const isListed = own(schema, 'enum') !== undefined || own(schema, 'oneOf') !== undefined;
    return !isListed && (isNumeric(schema) || isTime(name, schema)) ? 'range' : 'list';
  };
  const names = hasRows(tool.payload) && tool.annotations.readOnlyHint ? rangeable(tool) : [];
  return Object.fromEntries(names.map((name) => [name, formOf(name)]));
}

/** A place that every kind of codes in places knows. */
const ANY_PLACE = '서울';

const MAX_NAMED = 20;

function notRangeable(tool: Tool, name: string, able: readonly string[]): string {
  const pair = tool.ranges?.find(({ to }) => to === name);
  if (pair)
    return `ranges over ${name}, the end of a range. Range over ${pair.from}: "${pair.from}=A..B".`;
  const isArgument = Object.hasOwn(ownObject(tool.inputSchema, 'properties'), name);
  const what = isArgument ? 'cannot vary' : 'is no argument of this tool';
  const listed = able.slice(0, MAX_NAMED).join(', ') || 'none';
  return `ranges over ${quote(name)}, which ${what}. Arguments that can: ${listed}.`;
}

/** `ym` and `date` stand in words of other kinds, too: payment, update. */
const TIME_WORDS = /(?<![a-z])ym|ymd?(?![a-z])|month|(?<!up)date|day|dt$|yyyy|월|일/i;
/** How patterns write a month. */
const MONTHS = '(0[1-9]|1[0-2])';

/**
 * Whether the digits of an argument are a date. A pattern is read, not run: what a stranger wrote never runs on the event
 * loop.
 */
function isTime(name: string, schema: JsonSchema): boolean {
  const pattern = ownText(schema, 'pattern') ?? '';
  const words = `${name} ${ownText(schema, 'format') ?? ''} ${ownText(schema, 'description') ?? ''}`;
  return pattern.includes(MONTHS) || TIME_WORDS.test(words);
}

function isNumeric(schema: JsonSchema): boolean {
  const types = [own(schema, 'type') ?? []].flat();
  return types.some((type) => type === 'integer' || type === 'number') && !types.includes('string');
}

const MAX_QUOTED = 60;
const quote = (text: string): string => JSON.stringify(text.slice(0, MAX_QUOTED));

/** Units prepared in one turn of the event loop. */
const PER_TURN = 50;

/** Calls `work` for the number of each unit, in turns between which other work continues. */
export async function forEachUnit(
  count: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  for (let index = 0; index < Math.min(count, MAX_REQUESTS); index++) {
    if (index % PER_TURN === PER_TURN - 1) await nextTurn();
    await work(index);
  }
}
