import type { TSchema } from 'typebox';
import type { Operations } from '../../platform/input/operation.ts';
import { isRequired, NOTHING } from '../../platform/input/schema.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createDecodeInput, hasBody, pathParameters } from '../json-rpc/decode-input.ts';
import {
  callerOf,
  type Route,
  type RouteBody,
  type RouteDescription,
  type RouteRequest,
} from '../route.ts';
import type { Authorise } from './authority.ts';

export interface ManageDeps {
  readonly operations: Operations;
  readonly authorise: Authorise;
}

/** Where the REST API of management begins. */
const BASE = '/api/v1/admin';

/** Every operation as a REST route with its description (docs/contract.md#management). */
export const createManageRoutes = ({ operations, authorise }: ManageDeps): Route[] =>
  Object.entries(operations).map(([place, operation]) => {
    const [method, path] = place.split(' ') as [Route['method'], string];
    const decode = createDecodeInput(method, path, operation.input);
    return {
      ...describe(method, path, operation),
      handle: async (request) => {
        const context = await authorise(
          callerOf(request),
          operation.access,
          request.params['tenant'],
        );
        if (hasBody(method)) assertNoQuery(request);
        const output: unknown = await operation.handle(context, decode(request));
        const headers = { 'cache-control': 'no-store' };
        return output === undefined
          ? { status: 204, headers, body: null }
          : { status: 200, headers, body: Buffer.from(JSON.stringify(output)) };
      },
    };
  });

/** The framework does not check the query of an address with a body. */
function assertNoQuery({ query }: RouteRequest): void {
  const [name] = Object.keys(query);
  if (name === undefined) return;
  const shown = JSON.stringify(name.slice(0, 100));
  throw new GatewayError(
    'invalid_request',
    `Unknown parameter ${shown}. Send members in the body.`,
  );
}

/** Bytes of a body, as of those that the dashboard sends. */
const MAX_BODY_BYTES = 64 * 1024;

const TENANT = 'Slug of the tenant; `_` for that of the key.';

function describe(
  method: Route['method'],
  path: string,
  { name, summary, access, input, output, example }: Operations[keyof Operations],
): RouteDescription {
  const inPath = pathParameters(path);
  const members = Object.entries<TSchema>(input).filter(([member]) => !inPath.includes(member));
  const scope = access === 'operator' ? 'operator' : 'admin';
  return {
    method,
    path: `${BASE}${path}`,
    operation: operationId(name),
    access: 'key',
    needsNoTools: true,
    tag: 'Management',
    summary,
    description: `Needs an API key with the scope \`${scope}\`${scope === 'admin' ? ' or `operator`' : ''}.`,
    params: Object.fromEntries(
      inPath.map((word) => [word, word === 'tenant' ? TENANT : descriptionOf(input[word])]),
    ),
    ...(hasBody(method)
      ? { bodies: { 'application/json': bodyOf(members, summary, example) } }
      : { query: Object.fromEntries(members) }),
    responses:
      output === NOTHING
        ? { 204: { description: summary } }
        : { 200: { description: summary, schema: output } },
  };
}

const descriptionOf = (schema: object): string => String(Reflect.get(schema, 'description') ?? '');

/** `keys create` -> `keysCreate`. */
const operationId = (name: string): string =>
  name.replaceAll(/[ -](\w)/g, (_match, letter: string) => letter.toUpperCase());

const bodyOf = (
  members: readonly [string, TSchema][],
  summary: string,
  example: unknown,
): RouteBody => ({
  maxBytes: MAX_BODY_BYTES,
  schema: {
    type: 'object',
    properties: Object.fromEntries(members),
    required: members.filter(([, schema]) => isRequired(schema)).map(([name]) => name),
    additionalProperties: false,
  },
  ...(example === undefined ? {} : { examples: { example: { summary, value: example } } }),
});
