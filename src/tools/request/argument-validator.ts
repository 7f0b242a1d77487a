import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { describeIssues } from '../../platform/input/describe-issues.ts';
import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { isMultipleOf } from '../../platform/kernel/exact-number.ts';
import { isObject, own } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema, Tool } from '../model.ts';
import { createMeasure } from './argument-bounds.ts';
import { compilePattern } from './compile-pattern.ts';

/** Up to this many values, all issues are reported; for larger arguments, only the first one, which bounds their memory. */
const MAX_VALUES_FOR_ALL = 200;

/** Names in `required` and values in `enum` that are checked in a loop. */
const LOOPS_FROM = 8;

/** What the compiled check of a tool needs to know of it. */
type CheckedTool = Pick<Tool, 'inputSchema' | 'filled'>;

/**
 * Compiles the check of a tool's arguments, which takes milliseconds once and a microsecond per call. The check returns
 * the issues, none for valid arguments, and **fills the schema's defaults into the object that it receives**. It
 * converts nothing. Its time depends on the schema: a stranger's is checked where a deadline ends it.
 */
export function createArgumentValidator(
  tool: CheckedTool,
): (args: Record<string, unknown>) => readonly ArgumentIssue[] {
  const measure = createMeasure(tool.inputSchema);
  const findFirst = compileCheck(tool);
  let findAll: typeof findFirst | undefined;

  return (args) => {
    const measured = measure(args);
    if (typeof measured !== 'number') return [measured];
    let errors = findFirst(args);
    if (errors === null) return NO_ISSUES;
    if (measured <= MAX_VALUES_FOR_ALL) {
      // Compiled on demand: most tools never receive invalid arguments.
      findAll ??= compileCheck(tool, true);
      // With the defaults that the first check filled in, it may pass.
      errors = findAll(args) ?? errors;
    }
    const issues = describeIssues(errors, tool.inputSchema);
    return issues.length > 0 ? issues : [DOES_NOT_FIT];
  };
}

const NO_ISSUES: readonly ArgumentIssue[] = [];
const DOES_NOT_FIT: ArgumentIssue = { path: '', message: 'The arguments do not fit the schema.' };

/** Compiles a check that returns the first error, or all of them; null for valid arguments. */
export function compileCheck(
  { inputSchema, filled }: CheckedTool,
  allErrors = false,
): (args: Record<string, unknown>) => readonly ErrorObject[] | null {
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
    code: { regExp, optimize: false },
    // Code for each name, value or reference would take longer to build than it saves.
    loopRequired: LOOPS_FROM,
    loopEnum: LOOPS_FROM,
    inlineRefs: false,
    formats: FORMATS,
  });
  divideInDecimals(ajv);
  const validate = ajv.compile(filled ? withFilledDefaults(inputSchema, filled) : inputSchema);
  return (args) => {
    if (validate(args)) return null;
    const errors = validate.errors ?? [];
    // They would otherwise keep the arguments in memory until the tool's next call.
    validate.errors = null;
    return errors;
  };
}

/** Ajv keeps one expression per string, under the name in `code`. */
const regExp = Object.assign(
  (pattern: string): RegExp => {
    const expression = compilePattern(pattern);
    if (!expression) throw new SyntaxError('The pattern is invalid.');
    // V8 refuses some patterns only when it first runs them.
    expression.test('');
    return expression;
  },
  { code: 'pattern' },
);

/** Those of Ajv, but `url` in linear time: its expression takes seconds for a long string. */
const FORMATS = { ...fullFormats, url: (text: string) => URL.canParse(text) };

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
