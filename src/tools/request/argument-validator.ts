import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import stringify from 'safe-stable-stringify';
import { describeIssues } from '../../platform/input/describe-issues.ts';
import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { isMultipleOf } from '../../platform/kernel/exact-number.ts';
import { isObject, own } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema, Tool } from '../model.ts';
import { createMeasure } from './argument-bounds.ts';
import { BOUNDED_MATCHING, type Matching } from './matching.ts';
import { boundsOf, isSmall } from './measure-schema.ts';

const NO_ISSUES: readonly ArgumentIssue[] = [];

/** Up to this many values, all issues are reported; for larger arguments, only the first one. */
const MAX_VALUES_FOR_ALL = 200;

/** Names in `required` and values in `enum` that are checked in a loop. */
const LOOPS_FROM = 8;

/**
 * Compiles the check of a tool's arguments, which takes milliseconds once and a microsecond per call. The check returns
 * the issues, none for valid arguments, and **fills the schema's defaults into the object that it receives**. It
 * converts nothing and never throws.
 */
export function createArgumentValidator(
  { inputSchema, filled }: Pick<Tool, 'inputSchema' | 'filled'>,
  matching: Matching = BOUNDED_MATCHING,
  maxValuesForAll = MAX_VALUES_FOR_ALL,
): (args: Record<string, unknown>) => readonly ArgumentIssue[] {
  const { maxValues, maxDefinitions } = boundsOf(inputSchema);
  const measure = createMeasure(inputSchema, maxValues);
  const budget: Budget = { left: 0 };
  const checked = filled ? withFilledDefaults(inputSchema, filled) : inputSchema;
  const build = (allErrors: boolean) => compile(checked, { budget, matching, allErrors });
  // Stops at the first error, which bounds its time.
  const validate = build(false);

  let validateAll: ValidateFunction | undefined;
  const findsAll = isSmall(inputSchema);

  function issuesOf(received: Record<string, unknown>, values: number): readonly ArgumentIssue[] {
    const args = matching.watch?.(received) ?? received;
    budget.left = maxDefinitions;
    if (validate(args)) return NO_ISSUES;
    const first = takeErrors(validate);
    if (!findsAll || values > maxValuesForAll) return describeIssues(first, inputSchema);
    // Compiled on demand: most tools never receive invalid arguments.
    validateAll ??= build(true);
    budget.left = maxDefinitions;
    // With the defaults that the first check filled in, the second one may pass.
    return describeIssues(validateAll(args) ? first : takeErrors(validateAll), inputSchema);
  }

  return (args) => {
    const measured = measure(args);
    if (typeof measured !== 'number') return [measured];
    try {
      return issuesOf(args, measured);
    } catch (error) {
      // Only a schema that refers to itself can exhaust the stack or its budget.
      if (!(error instanceof RangeError)) throw error;
      return [TOO_COSTLY];
    }
  };
}

/** Detaches the errors, which would otherwise keep the arguments in memory until the tool's next call. */
function takeErrors(validate: ValidateFunction): readonly ErrorObject[] {
  const errors = validate.errors ?? [];
  validate.errors = null;
  return errors;
}

const TOO_COSTLY: ArgumentIssue = {
  path: '',
  message: 'The arguments are too deeply nested to be validated. Send a simpler structure.',
};

interface CompileOptions {
  readonly budget: Budget;
  readonly matching: Matching;
  readonly allErrors: boolean;
}

function compile(
  inputSchema: JsonSchema,
  { budget, matching, allErrors }: CompileOptions,
): ValidateFunction {
  const ajv = new Ajv2020({
    allErrors,
    useDefaults: true,
    // The messages are built from the schema and the value.
    verbose: true,
    messages: false,
    // The compiler only passes valid keywords; what else "strict" rejects is harmless in third-party schemas.
    strict: false,
    validateSchema: false,
    meta: false,
    logger: false,
    // `constructor` and the like are ordinary argument names.
    ownProperties: true,
    // The optimiser takes time proportional to the square of a schema's size, far more than it saves.
    code: { regExp: matching.regExp, optimize: false },
    // Code for each name or value would take longer to build than a loop takes to run.
    loopRequired: LOOPS_FROM,
    loopEnum: LOOPS_FROM,
    formats: matching.formats,
  });
  compareItemsByText(ajv);
  divideInDecimals(ajv);
  return ajv.compile(limitDefinitions(ajv, inputSchema, budget));
}

/** A schema with no defaults but those that are filled in: of these properties, and of required members within them. */
function withFilledDefaults(schema: JsonSchema, filled: readonly string[]): JsonSchema {
  const visit = (value: unknown, keepsDefault: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => visit(item, false));
    if (!isObject(value)) return value;
    const required = value === schema ? filled : [own(value, 'required') ?? []].flat();
    const members = Object.entries(value).flatMap(([key, member]) => {
      if (key === 'default') return keepsDefault ? [[key, member]] : [];
      if (DATA.has(key)) return [[key, member]];
      if (key !== 'properties' || !isObject(member)) return [[key, visit(member, false)]];
      const properties = Object.entries(member).map(([name, property]) => [
        name,
        visit(property, required.includes(name)),
      ]);
      return [[key, Object.fromEntries(properties)]];
    });
    return Object.fromEntries(members);
  };
  return visit(schema, false) as JsonSchema;
}

/** Keywords whose values are no schemas. */
const DATA = new Set(['enum', 'const', 'examples', 'required']);

interface Budget {
  left: number;
}

const SPENDS = 'x-spends';

/**
 * Makes every definition of a schema cost one unit of `budget`. The check throws a RangeError when the budget is
 * exhausted. Only definitions can refer to themselves, and a recursive choice multiplies its work with every level of
 * the arguments.
 */
function limitDefinitions(ajv: Ajv2020, schema: JsonSchema, budget: Budget): JsonSchema {
  const definitions = schema['$defs'];
  if (!isObject(definitions)) return schema;
  ajv.addKeyword({
    keyword: SPENDS,
    // Before the keywords that lead to further definitions.
    before: '$ref',
    schema: false,
    validate: () => {
      if (budget.left-- <= 0) throw new RangeError('The budget of this check is exhausted.');
      return true;
    },
  });
  const spending = Object.entries(definitions).map(([name, definition]) => [
    name,
    isObject(definition) ? { ...definition, [SPENDS]: true } : definition,
  ]);
  return { ...schema, $defs: Object.fromEntries(spending) };
}

/** Compares the items of an array by their canonical JSON. Ajv compares all pairs, in quadratic time. */
function compareItemsByText(ajv: Ajv2020): void {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: readonly unknown[]) =>
      !wanted || new Set(items.map((item) => stringify(item))).size === items.length,
  });
}

/** Ajv divides doubles, so that 19.99 is no multiple of 0.01. */
function divideInDecimals(ajv: Ajv2020): void {
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: (divisor: number, value: number) => isMultipleOf(value, divisor),
  });
}
