import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import type { Tool } from '../model.ts';
import { createMeasure } from './argument-bounds.ts';
import { describeIssues } from './argument-issues.ts';
import { type Budget, compareItemsByText, limitDefinitions } from './bounded-keywords.ts';
import { boundsOf } from './check-cost.ts';
import { BOUNDED_MATCHING, type Matching } from './matching.ts';
import { measureSchema } from './measure-schema.ts';

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
  matching: Matching = BOUNDED_MATCHING,
): (args: Record<string, unknown>) => readonly ArgumentIssue[] {
  const { maxValues, maxDefinitions } = boundsOf(tool.inputSchema);
  const measure = createMeasure(tool.inputSchema, maxValues);
  const budget: Budget = { left: 0 };
  const build = (allErrors: boolean) => compile(tool, { budget, matching, allErrors });
  // Stops at the first error, which bounds its time.
  const validate = build(false);

  let validateAll: ValidateFunction | undefined;
  const isSmall = measureSchema(tool.inputSchema).size <= MAX_SCHEMA_SIZE_FOR_ALL;

  function issuesOf(received: Record<string, unknown>, values: number): readonly ArgumentIssue[] {
    const args = matching.watch?.(received) ?? received;
    budget.left = maxDefinitions;
    if (validate(args)) return NO_ISSUES;
    const first = takeErrors(validate);
    if (!isSmall || values > MAX_VALUES_FOR_ALL) return describeIssues(first, tool.inputSchema);
    // Compiled on demand: most tools never receive invalid arguments.
    validateAll ??= build(true);
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
  matching: Matching = BOUNDED_MATCHING,
): (args: Record<string, unknown>) => boolean {
  const { maxValues, maxDefinitions } = boundsOf(tool.inputSchema);
  const measure = createMeasure(tool.inputSchema, maxValues);
  const budget: Budget = { left: 0 };
  const validate = compile(tool, { budget, matching, allErrors: false });
  return (args) => {
    if (typeof measure(args) !== 'number') return false;
    budget.left = maxDefinitions;
    try {
      return validate(matching.watch?.(args) ?? args);
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

interface CompileOptions {
  readonly budget: Budget;
  readonly matching: Matching;
  readonly allErrors: boolean;
}

function compile(
  tool: Pick<Tool, 'inputSchema'>,
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
  return ajv.compile(limitDefinitions(ajv, tool.inputSchema, budget));
}
