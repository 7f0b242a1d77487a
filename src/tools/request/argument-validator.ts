import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ArgumentFault } from '../../platform/kernel/error.ts';
import type { Tool } from '../model.ts';
import { createMeasure } from './argument-bounds.ts';
import { describeFaults } from './argument-fault.ts';
import { BOUNDED_FORMATS } from './bounded-formats.ts';
import { type Budget, compareItemsByText, limitDefinitions } from './bounded-keywords.ts';
import { MAX_PATTERN_INPUT, safePattern } from './safe-pattern.ts';

const NO_FAULTS: readonly ArgumentFault[] = [];

/** Values up to which all faults are looked for; of larger arguments the first one is told. */
const MAX_VALUES_FOR_ALL = 200;

/** Definitions of the schema that one check may go through. */
const MAX_DEFINITIONS = 10_000;

/**
 * Compiles the check of a tool's arguments: milliseconds once, a microsecond a call. The check returns the faults,
 * none for good arguments, and **fills the schema's defaults into the object it is given**. It converts nothing and
 * never throws.
 */
export function createArgumentValidator(
  tool: Tool,
): (args: Record<string, unknown>) => readonly ArgumentFault[] {
  const measure = createMeasure(tool.inputSchema);
  const budget: Budget = { left: 0 };
  // It stops at the first fault, which bounds its time.
  const validate = compile(tool, budget, false);
  let validateAll: ValidateFunction | undefined;

  function faultsOf(args: Record<string, unknown>, values: number): readonly ArgumentFault[] {
    budget.left = MAX_DEFINITIONS;
    if (validate(args)) return NO_FAULTS;
    const first = takeErrors(validate);
    if (values > MAX_VALUES_FOR_ALL) return describeFaults(first, tool.inputSchema);
    // Made when it is needed: most tools are never called wrongly.
    validateAll ??= compile(tool, budget, true);
    budget.left = MAX_DEFINITIONS;
    // Defaults that the first check filled in may please the second one.
    const all = validateAll(args) ? first : takeErrors(validateAll);
    return describeFaults(all, tool.inputSchema);
  }

  return (args) => {
    const measured = measure(args);
    if (typeof measured !== 'number') return [measured];
    try {
      return faultsOf(args, measured);
    } catch (error) {
      // Only a schema that refers to itself can run out of stack, or of its budget.
      if (!(error instanceof RangeError)) throw error;
      return [TOO_COSTLY];
    }
  };
}

/** Left with the validator, they would keep the arguments in memory until the tool's next call. */
function takeErrors(validate: ValidateFunction): readonly ErrorObject[] {
  const errors = validate.errors ?? [];
  validate.errors = null;
  return errors;
}

const TOO_COSTLY: ArgumentFault = {
  path: '',
  message: 'The arguments are too deeply nested to be checked. Send a simpler structure.',
};

function compile(tool: Tool, budget: Budget, allErrors: boolean): ValidateFunction {
  const ajv = new Ajv2020({
    allErrors,
    useDefaults: true,
    // Faults are put into words from the schema and the value.
    verbose: true,
    messages: false,
    // The compiler lets only sound keywords through; what else "strict" refuses is harmless in foreign schemas.
    strict: false,
    validateSchema: false,
    meta: false,
    logger: false,
    // `constructor` and the like are argument names as any other.
    ownProperties: true,
    code: { regExp: boundedPattern },
    formats: BOUNDED_FORMATS,
  });
  compareItemsByText(ajv);
  return ajv.compile(limitDefinitions(ajv, tool.inputSchema, budget));
}

/** A schema's pattern, made unable to hang the process: long texts are for the upstream to check. */
function boundedPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  const expression = safePattern(pattern);
  return {
    test: (text) => !expression || text.length > MAX_PATTERN_INPUT || expression.test(text),
    // Ajv keeps one expression per text.
    toString: () => pattern,
  };
}
boundedPattern.code = 'boundedPattern';
