import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type TProperties, Type } from 'typebox';
import { GatewayError } from '../../platform/kernel/error.ts';
import { invalidArguments } from '../../platform/kernel/invalid-arguments.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { describeIssues } from '../../tools/request/argument-issues.ts';
import { BOUNDED_MATCHING } from '../../tools/request/matching.ts';
import type { RouteRequest } from '../route.ts';

type Input = Record<string, unknown>;
/** `body` is the body if it was read already. */
export type DecodeInput = (request: RouteRequest, body?: unknown) => Input;

const OPTIONS = {
  allErrors: true,
  useDefaults: true,
  verbose: true,
  messages: false,
  strict: false,
  ownProperties: true,
  formats: BOUNDED_MATCHING.formats,
} as const;

/** The decoder of a route's input. Its check is built at the first request: there are many routes, and few are used. */
export function createDecodeInput(
  method: string,
  path: string,
  properties: TProperties,
): DecodeInput {
  const schema = Type.Object(properties, { additionalProperties: false });
  const isInQuery = method === 'GET' || method === 'DELETE';
  const names = pathParameters(path);
  let check: ValidateFunction | undefined;
  return (request, body) => {
    check ??= new Ajv2020({ ...OPTIONS, coerceTypes: isInQuery ? 'array' : false }).compile(schema);
    const given = isInQuery ? { ...request.query } : objectIn(body ?? parse(request.body));
    const input: Input = { ...given };
    for (const name of names) input[name] = request.params[name];
    if (check(input)) return input;
    const issues = describeIssues(check.errors ?? [], { ...schema });
    check.errors = null;
    throw invalidArguments('The input is not valid', issues);
  };
}

/** Every parameter of a path but the tenant, which is no input. */
const pathParameters = (path: string): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name).filter((name) => name !== 'tenant');

function objectIn(body: unknown): Input {
  if (!isObject(body)) throw new GatewayError('invalid_request', 'Send a JSON object.');
  return { ...body };
}

/** No body is an empty object. */
function parse(body: Buffer | null): unknown {
  if (body === null) return {};
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new GatewayError('unreadable_request');
  }
}
