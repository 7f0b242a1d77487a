import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ArgumentFault } from '../kernel/error.ts';
import { describeFaults } from './argument-fault.ts';
import { MAX_PATTERN_INPUT, safePattern } from './safe-pattern.ts';
import type { Tool } from './tool.ts';

const NO_FAULTS: readonly ArgumentFault[] = [];

/**
 * Compiles the check of a tool's arguments: milliseconds once, a microsecond a call. The check returns every fault,
 * none for good arguments, and **fills the schema's defaults into the object it is given**. It converts nothing and
 * never throws.
 */
export function createArgumentValidator(
  tool: Tool,
): (args: Record<string, unknown>) => readonly ArgumentFault[] {
  const validate = compile(tool);
  return (args) => {
    try {
      return validate(args) ? NO_FAULTS : describeFaults(validate.errors ?? [], tool.inputSchema);
    } catch (error) {
      // Only a recursive schema can run out of stack, on arguments nested as deeply.
      if (!(error instanceof RangeError)) throw error;
      return [{ path: '', message: 'The arguments are nested too deeply.' }];
    }
  };
}

function compile(tool: Tool): ValidateFunction {
  const ajv = new Ajv2020({
    allErrors: true,
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
  });
  addFormats.default(ajv);
  return ajv.compile(tool.inputSchema);
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
