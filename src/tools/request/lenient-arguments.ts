import { type Awaitable, whenAllReady, whenReady } from '../../platform/kernel/awaitable.ts';
import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, own, ownObject } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema, Tool, ValueNames } from '../model.ts';
import { createMeasure } from './argument-bounds.ts';
import { compileCheck } from './argument-validator.ts';
import { type InnerValues, innerValues } from './inner-values.ts';
import { instantsOfDay } from './near-dates.ts';
import { nearValues } from './near-values.ts';
import { withParsedTexts } from './parse-texts.ts';
import { ambiguous, ambiguousCode, MAX_NAME, namesOnly, type ResolveCode } from './resolve-code.ts';

/** Arguments of one call that are considered; a call with more is checked as it is. */
const MAX_ARGUMENTS = 200;
/** Lists and objects within one another whose values are read. */
const MAX_DEPTH = 4;

export type Arguments = Readonly<Record<string, unknown>>;

/** What the arguments of a tool may be. Plain data, because threads receive it too. */
export interface ArgumentRules {
  readonly inputSchema: JsonSchema;
  /** The arguments whose default is filled in. */
  readonly filled?: readonly string[];
  /** The arguments that are members of a body, where `null` is a value like any other. */
  readonly bodyMembers?: readonly string[];
  /** The kind of codes of each argument that has one (`x-code-kind`). */
  readonly codeKinds: ReadonlyMap<string, string>;
  /** The names of the values of each argument that has some (`x-names`). */
  readonly valueNames: ReadonlyMap<string, ValueNames>;
  readonly personal: readonly string[];
}

export const codeKindsOf = ({ parameters }: Pick<Tool, 'parameters'>): Map<string, string> =>
  new Map(
    parameters.flatMap(({ source }) =>
      source.kind === 'argument' && source.codeKind !== undefined
        ? [[source.property, source.codeKind] as const]
        : [],
    ),
  );

export const valueNamesOf = ({ parameters }: Pick<Tool, 'parameters'>): Map<string, ValueNames> =>
  new Map(
    parameters.flatMap(({ source }) =>
      source.kind === 'argument' && source.valueNames !== undefined
        ? [[source.property, source.valueNames] as const]
        : [],
    ),
  );

export interface MeantArguments {
  /** The received object if nothing in it is meant otherwise. */
  readonly meant: Arguments;
  /** Arguments with several meanings, which are left as they were received. */
  readonly issues: readonly ArgumentIssue[];
}

/**
 * Reads arguments that do not fit a tool's schema. Fails only if a name cannot be looked up, and does not change what it
 * receives.
 */
export type ReadMeaning = (
  received: Arguments,
  resolveCode: ResolveCode,
) => Awaitable<MeantArguments>;

/**
 * Creates the reader of arguments that a tool's check refuses. A value that fits its own schema is never changed; what
 * replaces one that does not, fits. Nothing is compiled before the first call that needs it.
 */
export function createMeaningReader(rules: ArgumentRules): ReadMeaning {
  const { inputSchema, personal } = rules;
  /** Personal data are masked under the names that were received, so these have no others. */
  const named = Object.fromEntries(
    Object.entries(ownObject(inputSchema, 'properties')).filter(
      ([name]) => !personal.includes(name),
    ),
  );
  const foreign = OF_HOSTS.filter(
    (name) => !Object.hasOwn(ownObject(inputSchema, 'properties'), name),
  );
  let readOne: ReadOne | undefined;

  return (received, resolveCode) => {
    const args = withParsedTexts(without(received, foreign), inputSchema);
    if (Object.keys(args).length > MAX_ARGUMENTS) return { meant: args, issues: [] };
    readOne ??= createOneReader(rules, MAX_DEPTH);
    const read = readOne;
    const findCode = namesOnly(resolveCode);
    return whenReady(withOwnNames(args, named, findCode), ({ meant, issues }) => {
      const meanings = Object.entries(meant).map(([name, value]) => read(name, value, findCode));
      return whenAllReady(meanings, (ready) => joinMeanings(meant, issues, ready));
    });
  };
}

/** What hosts for workflows add to the arguments of every call, whatever the tool takes. */
const OF_HOSTS = ['toolCallId', 'sessionId', 'action', 'chatInput'];

function without(args: Arguments, names: readonly string[]): Arguments {
  if (!names.some((name) => Object.hasOwn(args, name))) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}

/** One argument as it is meant: its value, an issue, or neither if it is left out. */
type Meaning = { readonly value: unknown } | { readonly issue: ArgumentIssue } | undefined;

type ReadOne = (name: string, value: unknown, resolveCode: ResolveCode) => Awaitable<Meaning>;

/** Creates the check whether a value fits the schema of one argument, whatever the others are. */
function createFitCheck({ inputSchema, filled }: ArgumentRules) {
  const { properties, $defs } = inputSchema;
  const alone = {
    type: 'object',
    properties: isObject(properties) ? properties : {},
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
  };
  const check = compileCheck({ inputSchema: alone, ...(filled ? { filled } : {}) });
  const measure = createMeasure(alone);
  return (name: string, value: unknown): boolean =>
    typeof measure({ [name]: value }) === 'number' && check({ [name]: value }) === null;
}

function createOneReader(rules: ArgumentRules, depth: number): ReadOne {
  const { inputSchema, bodyMembers = [], codeKinds, valueNames } = rules;
  const properties = ownObject(inputSchema, 'properties');
  const required = new Set([own(inputSchema, 'required') ?? []].flat());
  const fits = createFitCheck(rules);

  function readCode(
    name: string,
    value: unknown,
    kind: string | undefined,
    resolveCode: ResolveCode,
  ): Awaitable<Meaning> {
    if (kind === undefined || typeof value !== 'string') return { value };
    const text = value.trim();
    return whenReady(resolveCode(kind, text, name), (resolved): Meaning => {
      if ('code' in resolved) return { value: fits(name, resolved.code) ? resolved.code : value };
      const issue = ambiguousCode(name, text, resolved);
      return issue ? { issue } : { value };
    });
  }

  /** A number may have lost the zeros of a code, or name another one as a ticker does: then it is not plain. */
  function readPlain(
    name: string,
    value: unknown,
    meant: unknown,
    resolveCode: ResolveCode,
  ): Awaitable<Meaning> {
    const kind = codeKinds.get(name);
    if (kind === undefined || typeof value !== 'number' || meant === String(value)) {
      return { value: meant };
    }
    return whenReady(resolveCode(kind, String(value), name), (resolved): Meaning => {
      if (!('code' in resolved) || resolved.code === meant) return { value: meant };
      return { issue: ambiguous(name, String(value), [meant, resolved.code].map(quote)) };
    });
  }

  const readWithin =
    depth > 0 ? createInnerReader(rules, (inner) => createOneReader(inner, depth - 1)) : undefined;

  function readOne(name: string, value: unknown, resolveCode: ResolveCode): Awaitable<Meaning> {
    const schema = own(properties, name);
    if (!isObject(schema) || fits(name, value)) return { value };
    if (value === null || (typeof value === 'string' && value.trim() === '')) {
      // A member of a body that is null is not the same as one that is absent.
      const isKept = required.has(name) || (value === null && bodyMembers.includes(name));
      return isKept ? { value } : undefined;
    }
    const kind = codeKinds.get(name);
    const isCode = kind === undefined || typeof value !== 'string' || /\d/.test(value);
    const readings = [
      ...nearValues(value, isCode ? schema : inOneCase(schema)),
      typeof value === 'object' ? [] : instantsOfDay(String(value).trim(), name),
      valuesNamed(value, valueNames.get(name)),
    ];
    for (const reading of readings) {
      const fitting = [...new Set(reading)].filter((candidate) => fits(name, candidate));
      if (fitting.length === 1) return readPlain(name, value, fitting[0], resolveCode);
      if (fitting.length > 1) return { issue: ambiguous(name, String(value), fitting.map(quote)) };
    }
    const inside = readWithin?.(name, [value, ...readings.flat()], resolveCode);
    if (inside === undefined) return readCode(name, value, kind, resolveCode);
    return whenReady(inside, (meaning) =>
      meaning && ('issue' in meaning || fits(name, meaning.value)) ? meaning : { value },
    );
  }

  return readOne;
}

const NO_KINDS: Pick<ArgumentRules, 'codeKinds' | 'valueNames'> = {
  codeKinds: new Map(),
  valueNames: new Map(),
};

/**
 * Creates the reader of what is in lists and objects, where each value is read like an argument of its own schema. It
 * reads the first list or object that the argument takes; undefined if the argument takes none.
 */
function createInnerReader(rules: ArgumentRules, createReader: (inner: ArgumentRules) => ReadOne) {
  const properties = ownObject(rules.inputSchema, 'properties');
  const { $defs } = rules.inputSchema;
  const readers = new Map<string, ReadOne>();

  function readerOf(name: string, { inputSchema, isList }: InnerValues): ReadOne {
    const known = isList ? `list ${name}` : name;
    // The values of a list are of the kind of the argument; the members of an object have names of their own.
    const { codeKinds, valueNames } = isList ? rules : NO_KINDS;
    const reader =
      readers.get(known) ?? createReader({ ...rules, codeKinds, valueNames, inputSchema });
    readers.set(known, reader);
    return reader;
  }

  return (
    name: string,
    candidates: readonly unknown[],
    resolveCode: ResolveCode,
  ): Awaitable<Meaning> | undefined => {
    const inner = innerValues(name, candidates, { schema: ownObject(properties, name), $defs });
    if (inner === undefined) return undefined;
    const { entries, join } = inner;
    const read = readerOf(name, inner);
    const meanings = entries.map(([, property, value]) => read(property, value, resolveCode));
    return whenAllReady(meanings, (ready): Meaning => {
      const values = new Map<string | number, unknown>();
      for (const [at, [key]] of entries.entries()) {
        const meaning = ready[at];
        if (meaning === undefined) continue;
        if ('issue' in meaning) return { issue: issueWithin(name, key, meaning.issue) };
        values.set(key, meaning.value);
      }
      return { value: join(values) };
    });
  };
}

/** The issue of a value within an argument. In a list, the value was read under the name of the argument. */
function issueWithin(
  name: string,
  key: string | number,
  { path, message }: ArgumentIssue,
): ArgumentIssue {
  if (typeof key === 'string') return { path: pointerTo('', name) + path, message };
  const [, , ...rest] = path.split('/');
  return { path: [pointerTo(pointerTo('', name), key), ...rest].join('/'), message };
}

/** The values of an enum that have a name, however it is spaced and written. */
function valuesNamed(text: unknown, names: ValueNames = {}): string[] {
  const name = typeof text === 'string' ? plainName(text) : '';
  if (name === '') return [];
  return Object.entries(names)
    .filter(([, known]) => known.some((one) => plainName(one) === name))
    .map(([value]) => value);
}

const plainName = (text: string): string =>
  text
    .slice(0, MAX_NAME)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

const quote = (value: unknown): string => JSON.stringify(value) ?? '';

/** A name in capitals may fit the pattern of a code without being one; what has digits is no name. */
const inOneCase = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  enum: own(schema, 'enum') ?? [],
});

/** The arguments with their meanings, which are in the same order. */
function joinMeanings(
  meant: Arguments,
  known: readonly ArgumentIssue[],
  meanings: readonly Meaning[],
): MeantArguments {
  const issues = [...known];
  const entries = Object.entries(meant).flatMap(([name, value], at) => {
    const meaning = meanings[at];
    if (meaning === undefined) return [];
    if ('value' in meaning) return [[name, meaning.value] as const];
    issues.push(meaning.issue);
    return [[name, value] as const];
  });
  return { meant: Object.fromEntries(entries), issues };
}

/** The names of one argument, across the APIs that have it. */
const SAME = [
  ['lat', 'latitude', 'mapY'],
  ['lon', 'lng', 'long', 'longitude', 'mapX'],
] as const;

const PLACES = ['place', 'location', 'city'];

/** The arguments under the tool's own names, and the coordinates of a place that is named instead. */
function withOwnNames(
  received: Arguments,
  properties: Arguments,
  resolveCode: ResolveCode,
): Awaitable<MeantArguments> {
  const taken = new Set(Object.keys(received));
  const meant = Object.fromEntries(
    Object.entries(received).map(([name, value]) => {
      const known = ownName(name, properties);
      if (known === undefined || taken.has(known)) return [name, value];
      taken.add(known);
      return [known, value];
    }),
  );
  const place = namedPlace(meant, properties);
  if (!place) return { meant, issues: [] };
  return whenReady(resolveCode('place', place.text), (resolved): MeantArguments => {
    if ('choices' in resolved) {
      const issue = ambiguousCode(place.name, place.text, resolved);
      return { meant, issues: issue ? [issue] : [] };
    }
    const { [place.name]: _, ...rest } = meant;
    return { meant: { ...rest, [place.lat]: resolved.lat, [place.lon]: resolved.lon }, issues: [] };
  });
}

const knownName = (names: readonly string[], properties: Arguments): string | undefined =>
  names.find((name) => Object.hasOwn(properties, name));

/** The tool's own name of an argument that it knows by another; undefined for any other argument. */
function ownName(name: string, properties: Arguments): string | undefined {
  if (Object.hasOwn(properties, name)) return undefined;
  const names = SAME.find((candidates: readonly string[]) => candidates.includes(name));
  return names && knownName(names, properties);
}

/** The place that the arguments name where the tool takes coordinates; undefined if it takes none, or they are given. */
function namedPlace(args: Arguments, properties: Arguments) {
  const [lat, lon] = SAME.map((names) => knownName(names, properties));
  if (lat === undefined || lon === undefined) return undefined;
  const isGiven = [lat, lon].some((name) => (own(args, name) ?? null) !== null);
  const [name, ...others] = PLACES.filter((candidate) => Object.hasOwn(args, candidate));
  if (isGiven || name === undefined || others.length > 0 || Object.hasOwn(properties, name)) {
    return undefined;
  }
  const text = own(args, name);
  return typeof text === 'string' && text.trim() !== ''
    ? { name, text: text.trim(), lat, lon }
    : undefined;
}
