import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { TSchema } from 'typebox';
import type { ArgumentIssue } from '../kernel/error.ts';
import { isObject, ownObject } from '../kernel/plain-json.ts';
import { describeIssues, pathOf } from './describe-issues.ts';

/**
 * What a text must be beyond the keywords of JSON Schema, as the member `check` of its schema: the issue, or undefined. It
 * never quotes the text, which may be a credential. Being a function, it is absent from the schema that is published.
 */
export type TextCheck = (text: string) => string | undefined;

const OPTIONS = {
  allErrors: true,
  useDefaults: true,
  verbose: true,
  messages: false,
  strict: false,
  ownProperties: true,
  formats: fullFormats,
  // `$id` is the name of a component of `/openapi.json` here, and several members may have the same.
  schemaId: 'id',
  meta: false,
  validateSchema: false,
} as const;

/**
 * Checks an input against a schema that the gateway declares; returns every issue, sorted by path. Fills in defaults, and
 * converts texts to the types of the schema if `isText` says that all values are texts, as in a query. The paths of
 * all faulty values are added to `faulty`: there may be more than are described. The check is
 * built when it is first used: there are many inputs, and few are used. A member that is null counts as absent unless its
 * schema takes null, and is removed.
 */
export function createInputCheck(
  schema: TSchema,
  { isText = false } = {},
): (input: object, faulty?: Set<string>) => readonly ArgumentIssue[] {
  let validate: ValidateFunction | undefined;
  const absentIfNull = Object.entries(ownObject({ ...schema }, 'properties'))
    .filter(([, member]) => refusesNull(member))
    .map(([name]) => name);
  return (input, faulty) => {
    validate ??= newValidator(isText).compile(schema);
    for (const name of absentIfNull) {
      if (Reflect.get(input, name) === null) Reflect.deleteProperty(input, name);
    }
    if (validate(input)) return [];
    const errors = validate.errors ?? [];
    if (faulty) for (const error of errors) faulty.add(pathOf(error));
    const issues = describeIssues(errors, { ...schema });
    validate.errors = null;
    return issues;
  };
}

/** Whether a schema names types or values, without null among them. */
function refusesNull(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, anyOf, enum: values } = schema;
  if (type !== undefined) return ![type].flat().includes('null');
  if (Array.isArray(anyOf)) return anyOf.every(refusesNull);
  return Array.isArray(values) && !values.includes(null);
}

function newValidator(isText: boolean): Ajv2020 {
  const ajv = new Ajv2020({ ...OPTIONS, coerceTypes: isText ? 'array' : false });
  return ajv.addKeyword({ keyword: 'check', type: 'string', errors: true, validate: runCheck });
}

interface KeywordRun {
  (check: TextCheck, text: string): boolean;
  errors?: { keyword: string; message: string; params: object }[];
}

const runCheck: KeywordRun = (check, text) => {
  const message = check(text);
  if (message === undefined) return true;
  runCheck.errors = [{ keyword: 'check', message, params: {} }];
  return false;
};
