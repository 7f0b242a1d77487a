import { type TProperties, Type } from 'typebox';
import { createInputCheck } from '../../platform/input/input-check.ts';
import { GatewayError, invalidArguments } from '../../platform/kernel/error.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import type { RouteRequest } from '../route.ts';
import { readMembers } from './read-members.ts';

type Input = Record<string, unknown>;

/** A route, or an operation. */
interface InputRules {
  readonly input: TProperties;
  /** The handler checks the input. */
  readonly checksInput?: true;
}

/** The decoder of a route's input. */
export function createDecodeInput(
  method: string,
  path: string,
  { input: properties, checksInput }: InputRules,
) {
  const schema = Type.Object(properties, { additionalProperties: false });
  const isInQuery = !hasBody(method);
  const names = pathParameters(path).filter((name) => name !== 'tenant');
  const check = createInputCheck(schema, { isText: isInQuery });
  return (request: RouteRequest): Input => {
    const input: Input = isInQuery ? findable(request.query) : bodyIn(request);
    const parameters = findable(request.params);
    for (const name of names) input[name] = parameters[name];
    if (checksInput) return input;
    const issues = check(input);
    if (issues.length > 0) throw invalidArguments('The input is not valid', issues);
    return input;
  };
}

/** PostgreSQL refuses NUL; a text without it finds nothing either. */
const findable = (texts: Readonly<Input>): Input =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      typeof text === 'string' ? text.replaceAll('\0', '\uFFFD') : text,
    ]),
  );

/** Whether the input of this method is in the body; otherwise, in the query. */
export const hasBody = (method: string): boolean => method !== 'GET' && method !== 'DELETE';

/** The names of the parameters in a path. The tenant is one of them, but no input. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

function bodyIn(request: RouteRequest): Input {
  const body = request.body?.length ? readMembers(request) : {};
  if (!isObject(body)) throw new GatewayError('invalid_request', 'Send a JSON object.');
  return { ...body };
}
