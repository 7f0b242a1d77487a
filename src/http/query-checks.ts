import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { FastifySchemaCompiler } from 'fastify';

/** Checks queries, each compiled when it is first needed: a start would wait for those of every path. */
export function createQueryChecks(): FastifySchemaCompiler<object> {
  const ajv = new Ajv({
    formats: fullFormats,
    coerceTypes: true,
    useDefaults: true,
    allErrors: true,
    strict: false,
  });
  return ({ schema }) => {
    let validate: ValidateFunction | undefined;
    const check = (query: unknown): boolean => {
      validate ??= ajv.compile(schema);
      const isValid = validate(query);
      check.errors = validate.errors ?? null;
      return isValid;
    };
    check.errors = null as ErrorObject[] | null;
    return check;
  };
}
