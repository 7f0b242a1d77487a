import { type Awaitable, whenAllReady, whenReady } from '../../platform/kernel/awaitable.ts';
import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { isObject, own } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema } from '../model.ts';
import { createArgumentCheck, MAX_SCHEMA_SIZE_FOR_ALL } from './argument-validator.ts';
import type { Matching } from './matching.ts';
import { measureSchema } from './measure-schema.ts';
import { nearValues } from './near-values.ts';
import { namedPlace, ownName } from './other-names.ts';
import { ambiguous, ambiguousCode, namesOnly, type ResolveCode } from './resolve-code.ts';

/** Arguments of one call that are considered; a call with more is checked as it is. */
const MAX_ARGUMENTS = 200;

type Arguments = Readonly<Record<string, unknown>>;

/** Arguments as they are plainly meant. */
export interface MeantArguments {
  /** The given object if nothing in it is meant otherwise. */
  readonly args: Arguments;
  /** Arguments with several meanings, which are left as they were given. */
  readonly issues: readonly ArgumentIssue[];
}

/**
 * Reads arguments that do not fit a tool's schema. Fails only if a name cannot be looked up, and does not change what it
 * receives.
 */
export type ReadMeaning = (given: Arguments, resolveCode: ResolveCode) => Awaitable<MeantArguments>;

/** One argument as it is meant: its value, an issue, or neither if it is left out. */
type Meaning = { readonly value: unknown } | { readonly issue: ArgumentIssue } | undefined;

type Fits = (name: string, value: unknown) => boolean;

/** What the arguments of a tool may be. Plain data, because threads receive it too. */
export interface ArgumentRules {
  readonly inputSchema: JsonSchema;
  /** The kind of codes of each argument that has one. */
  readonly codeKinds: ReadonlyMap<string, string>;
  readonly personal: readonly string[];
}

/**
 * Creates the reader of arguments that a tool's check refuses. A value that fits its own schema is never changed; what
 * replaces one that does not, fits. Nothing is compiled before the first call that needs it. The arguments of tools with
 * very large schemas are only taken as they are given.
 */
export function createMeaningReader(
  { inputSchema, codeKinds: kinds, personal }: ArgumentRules,
  matching?: Matching,
): ReadMeaning {
  const properties = propertiesOf(inputSchema);
  /** Personal data are masked under the names that were given, so these have no others. */
  const named = Object.fromEntries(
    Object.entries(properties).filter(([name]) => !personal.includes(name)),
  );
  const required = new Set([own(inputSchema, 'required') ?? []].flat());
  /** Null if the schema is too large. */
  let fits: Fits | null | undefined;

  const readOne = (name: string, value: unknown, resolveCode: ResolveCode): Awaitable<Meaning> => {
    const schema = own(properties, name);
    if (!isObject(schema) || fits?.(name, value)) return { value };
    if (value === null || (typeof value === 'string' && value.trim() === '')) {
      return required.has(name) ? { value } : undefined;
    }
    const kind = kinds.get(name);
    const isCode = kind === undefined || typeof value !== 'string' || /\d/.test(value);
    for (const reading of nearValues(value, isCode ? schema : inOneCase(schema))) {
      const fitting = [...new Set(reading)].filter((candidate) => fits?.(name, candidate));
      if (fitting.length === 1) return { value: fitting[0] };
      if (fitting.length > 1) return { issue: ambiguous(name, String(value), fitting.map(quote)) };
    }
    const code = codeOf(name, value, { kind, resolveCode }, fits);
    return whenReady(code, (meaning) => meaning ?? { value });
  };

  return (given, resolveCode) => {
    if (Object.keys(given).length > MAX_ARGUMENTS) return { args: given, issues: [] };
    if (fits === undefined) fits = createFit(inputSchema, properties, matching);
    if (fits === null) return { args: given, issues: [] };
    const findCode = namesOnly(resolveCode);
    return whenReady(withOwnNames(given, named, findCode), ({ args, issues }) => {
      const names = Object.keys(args);
      const meanings = names.map((name) => readOne(name, args[name], findCode));
      return whenAllReady(meanings, (read) => joinMeanings(args, issues, read));
    });
  };
}

/** The arguments with their meanings, which are in the same order. */
function joinMeanings(
  args: Arguments,
  known: readonly ArgumentIssue[],
  meanings: readonly Meaning[],
): MeantArguments {
  const issues = [...known];
  const entries = Object.entries(args).flatMap(([name, value], at) => {
    const meaning = meanings[at];
    if (meaning === undefined) return [];
    if ('value' in meaning) return [[name, meaning.value] as const];
    issues.push(meaning.issue);
    return [[name, value] as const];
  });
  return { args: Object.fromEntries(entries), issues };
}

const quote = (value: unknown): string => JSON.stringify(value) ?? '';

const propertiesOf = (schema: JsonSchema): Arguments => {
  const properties = own(schema, 'properties');
  return isObject(properties) ? properties : {};
};

/** A name in capitals may fit the pattern of a code without being one; what has digits is no name. */
const inOneCase = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  enum: own(schema, 'enum') ?? [],
});

/** Whether a value fits the schema of one argument, whatever the others are. */
function createFit(
  schema: JsonSchema,
  properties: Arguments,
  matching: Matching | undefined,
): Fits | null {
  if (measureSchema(schema).size > MAX_SCHEMA_SIZE_FOR_ALL) return null;
  const definitions = own(schema, '$defs');
  const inputSchema = {
    type: 'object',
    properties,
    additionalProperties: false,
    ...(definitions === undefined ? {} : { $defs: definitions }),
  };
  const check = createArgumentCheck({ inputSchema }, matching);
  return (name, value) => check({ [name]: value });
}

interface CodeSource {
  readonly kind: string | undefined;
  readonly resolveCode: ResolveCode;
}

function codeOf(
  name: string,
  value: unknown,
  { kind, resolveCode }: CodeSource,
  fits: Fits | null | undefined,
): Awaitable<Meaning> {
  if (kind === undefined || typeof value !== 'string') return undefined;
  const text = value.trim();
  return whenReady(resolveCode(kind, text, name), (resolved): Meaning => {
    if ('code' in resolved) {
      return fits?.(name, resolved.code) ? { value: resolved.code } : undefined;
    }
    const issue = ambiguousCode(name, text, resolved);
    return issue && { issue };
  });
}

/** The arguments under the tool's own names, and the coordinates of a place that is named instead. */
function withOwnNames(
  given: Arguments,
  properties: Arguments,
  resolveCode: ResolveCode,
): Awaitable<MeantArguments> {
  const taken = new Set(Object.keys(given));
  const args = Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const known = ownName(name, properties);
      if (known === undefined || taken.has(known)) return [name, value];
      taken.add(known);
      return [known, value];
    }),
  );
  const place = namedPlace(args, properties);
  if (!place) return { args, issues: [] };
  return whenReady(resolveCode('place', place.text), (resolved): MeantArguments => {
    if ('choices' in resolved) {
      const issue = ambiguousCode(place.name, place.text, resolved);
      return { args, issues: issue ? [issue] : [] };
    }
    const { [place.name]: _, ...rest } = args;
    return { args: { ...rest, [place.lat]: resolved.lat, [place.lon]: resolved.lon }, issues: [] };
  });
}
