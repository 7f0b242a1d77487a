import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import type { Tool } from '../model.ts';
import { createMeasure } from './argument-bounds.ts';
import { describeIssues } from './argument-issues.ts';
import { BOUNDED_FORMATS } from './bounded-formats.ts';
import { type Budget, compareItemsByText, limitDefinitions } from './bounded-keywords.ts';
import { boundsOf } from './check-cost.ts';
import { measureSchema } from './measure-schema.ts';
import { MAX_PATTERN_INPUT, safePattern } from './safe-pattern.ts';

const NO_ISSUES: readonly ArgumentIssue[] = [];

/** Up to this many values, all issues are reported; for larger arguments, only the first one. */
const MAX_VALUES_FOR_ALL = 200;
/** The same for schemas (see `measureSchema`): the check that finds all issues takes as long to build as the first one. */
export const MAX_SCHEMA_SIZE_FOR_ALL = 500;

/** Names in `required` and values in `enum` that are checked in a loop. */
const LOOPS_FROM = 8;

/**
 * Compiles the check of a tool's arguments, which takes milliseconds once and a microsecond per call. The check returns
 * the issues, none for valid arguments, and **fills the schema's defaults into the object that it receives**. It
 * converts nothing and never throws.
 */
export function createArgumentValidator(
  tool: Pick<Tool, 'inputSchema'>,
): (args: Record<string, unknown>) => readonly ArgumentIssue[] {
  const { maxValues, maxDefinitions } = boundsOf(tool.inputSchema);
  const measure = createMeasure(tool.inputSchema, maxValues);
  const budget: Budget = { left: 0 };
  // Stops at the first error, which bounds its time.
  const validate = compile(tool, budget, false);
  let validateAll: ValidateFunction | undefined;
  const isSmall = measureSchema(tool.inputSchema).size <= MAX_SCHEMA_SIZE_FOR_ALL;

  function issuesOf(args: Record<string, unknown>, values: number): readonly ArgumentIssue[] {
    budget.left = maxDefinitions;
    if (validate(args)) return NO_ISSUES;
    const first = takeErrors(validate);
    if (!isSmall || values > MAX_VALUES_FOR_ALL) return describeIssues(first, tool.inputSchema);
    // Compiled on demand: most tools never receive invalid arguments.
    validateAll ??= compile(tool, budget, true);
    budget.left = maxDefinitions;
    // With the defaults that the first check filled in, the second one may pass.
    const all = validateAll(args) ? first : takeErrors(validateAll);
    return describeIssues(all, tool.inputSchema);
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

/** Compiles the same check for callers who only ask whether arguments are valid. It also fills in defaults. */
export function createArgumentCheck(
  tool: Pick<Tool, 'inputSchema'>,
): (args: Record<string, unknown>) => boolean {
  const { maxValues, maxDefinitions } = boundsOf(tool.inputSchema);
  const measure = createMeasure(tool.inputSchema, maxValues);
  const budget: Budget = { left: 0 };
  const validate = compile(tool, budget, false);
  return (args) => {
    if (typeof measure(args) !== 'number') return false;
    budget.left = maxDefinitions;
    try {
      return validate(args);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return false;
    } finally {
      validate.errors = null;
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

function compile(
  tool: Pick<Tool, 'inputSchema'>,
  budget: Budget,
  allErrors: boolean,
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
    code: { regExp: boundedPattern, optimize: false },
    // Code for each name or value would take longer to build than a loop takes to run.
    loopRequired: LOOPS_FROM,
    loopEnum: LOOPS_FROM,
    formats: BOUNDED_FORMATS,
  });
  compareItemsByText(ajv);
  return ajv.compile(limitDefinitions(ajv, tool.inputSchema, budget));
}

/** A pattern that cannot hang the process: long strings are left to the upstream. */
function boundedPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  const expression = safePattern(pattern);
  return {
    test: (text) => !expression || text.length > MAX_PATTERN_INPUT || expression.test(text),
    // Ajv stores one expression per string.
    toString: () => pattern,
  };
}
boundedPattern.code = 'boundedPattern';
