import type { TSchema } from 'typebox';
import type {
  OperationContext,
  Operations,
  TenantAddress,
  TenantOperationContext,
} from '../../platform/input/operation.ts';
import { isRequired, NOTHING } from '../../platform/input/schema.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { JsonSchema } from '../../tools/model.ts';
import { refusal } from '../json-rpc/component.ts';
import { createDecodeInput, hasBody, pathParameters } from '../json-rpc/decode-input.ts';
import { documentBodies } from '../json-rpc/read-members.ts';
import {
  callerOf,
  type Route,
  type RouteBodyDescription,
  type RouteDescription,
  type RouteRequest,
  type RouteResponseDescription,
} from '../route.ts';
import type { Authorise } from './authority.ts';

export interface ManageDeps {
  readonly operations: Operations;
  readonly authorise: Authorise;
}

/** Where the REST API of management begins. */
const BASE = '/api/v1/admin';

type AnyOperation = Operations[keyof Operations];

type Context = OperationContext | TenantOperationContext;

/** Where an operation is reached. */
interface Place {
  readonly method: Route['method'];
  readonly path: string;
}

/** The operations of management as REST routes with their descriptions (docs/contract.md#management). */
export const createManageRoutes = ({ operations, authorise }: ManageDeps): Route[] =>
  Object.entries(operations)
    .filter(([, { access }]) => access !== 'key')
    .map(([key, operation]) => {
      const { method, path } = placeOf(key);
      const { access, name } = operation;
      const scope = access === 'operator' ? '`operator`' : '`admin` or `operator`';
      return toRoute({ method, path: `${BASE}${path}` }, operation, {
        operation: operationId(name),
        tag: 'Management',
        description: `Needs an API key with the scope ${scope}.`,
        maxBytes: MAX_BODY_BYTES,
        admit: (request) => authorise(callerOf(request), access, request.params['tenant']),
      });
    });

/** The operations that every API key of a tenant may run, at their own addresses. */
export const createTenantRoutes = (operations: Operations): Route[] =>
  Object.entries(operations).flatMap(([key, operation]) => {
    const { address } = operation;
    if (!address) return [];
    const place = { method: placeOf(key).method, path: address.path };
    return toRoute(place, operation, {
      ...address,
      statuses: {
        ...address.statuses,
        ...(address.narrowKeys === undefined && {
          403: 'The API key has a list of allowed tools.',
        }),
      },
      admit: async (request) => tenantContext(callerOf(request), address),
    });
  });

const placeOf = (key: string): Place => {
  const [method, path] = key.split(' ') as [Route['method'], string];
  return { method, path };
};

/** The tenant of a key, whose actor is the key itself. */
function tenantContext(
  { tenantId: id, tenantSlug: slug, apiKeyId: key, allowedTools }: Caller,
  { narrowKeys }: TenantAddress,
): TenantOperationContext {
  if (allowedTools !== null && narrowKeys !== 'allowed') {
    throw new GatewayError(narrowKeys ?? 'forbidden', NARROW);
  }
  return { actor: { id: key, key, isOperator: false }, tenant: { id, slug, name: slug } };
}

const NARROW =
  'This API key has a list of allowed tools and may not do this. Use a key of the same tenant without such a list.';

/** What an address says of its operation. */
interface Described extends Omit<TenantAddress, 'path'> {
  /** Of the body, if not the bound of other addresses. */
  readonly maxBytes?: number;
  readonly admit: (request: RouteRequest) => Promise<Context>;
}

function toRoute(place: Place, operation: AnyOperation, described: Described): Route {
  const { method, path } = place;
  const { isCreated } = operation;
  const decode = createDecodeInput(method, path, operation);
  return {
    ...describe(place, operation, described),
    handle: async (request) => {
      const context = await described.admit(request);
      if (hasBody(method)) assertNoQuery(request);
      const output: unknown = await operation.handle({ ...context, request }, decode(request));
      const headers = { 'cache-control': 'no-store' };
      if (output === undefined) return { status: 204, headers, body: null };
      const status = isCreated?.(output) ? 201 : 200;
      return { status, headers, body: Buffer.from(JSON.stringify(output)) };
    },
  };
}

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

const TENANT = 'Slug of the tenant; `_` for the tenant of the key.';

function describe(
  { method, path }: Place,
  { summary, input, output, example, maxDocumentBytes }: AnyOperation,
  { operation, tag, description, statuses, body: schema, maxBytes }: Described,
): RouteDescription {
  const inPath = pathParameters(path);
  const members = Object.entries<TSchema>(input).filter(([member]) => !inPath.includes(member));
  const body = bodyOf(schema ?? objectOf(members), summary, example);
  const success = output === NOTHING ? 204 : 200;
  const described: [string, string][] = Object.entries({ [success]: summary, ...statuses });
  return {
    ...{ method, path, operation, tag, summary },
    ...(description === undefined ? {} : { description }),
    access: 'key',
    needsNoTools: true,
    params: Object.fromEntries(
      inPath.map((word) => [word, word === 'tenant' ? TENANT : descriptionOf(input[word])]),
    ),
    ...(!hasBody(method)
      ? { query: Object.fromEntries(members) }
      : maxDocumentBytes !== undefined
        ? { bodies: documentBodies(body, maxDocumentBytes) }
        : maxBytes === undefined
          ? { body }
          : { bodies: { 'application/json': { ...body, maxBytes } } }),
    responses: Object.fromEntries(
      described.map(([status, text]) => [status, responseOf(Number(status), text, output)]),
    ),
  };
}

const responseOf = (status: number, text: string, output: TSchema): RouteResponseDescription =>
  status >= 400
    ? refusal(text)
    : { description: text, ...(output === NOTHING ? {} : { schema: output }) };

const descriptionOf = (schema: object): string => String(Reflect.get(schema, 'description') ?? '');

/** `keys create` -> `keysCreate`. */
const operationId = (name: string): string =>
  name.replaceAll(/[ -](\w)/g, (_match, letter: string) => letter.toUpperCase());

const objectOf = (members: readonly [string, TSchema][]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(members),
  required: members.filter(([, schema]) => isRequired(schema)).map(([name]) => name),
  additionalProperties: false,
});

const bodyOf = (
  schema: RouteBodyDescription['schema'],
  summary: string,
  example: unknown,
): RouteBodyDescription => ({
  schema,
  ...(example === undefined ? {} : { examples: { example: { summary, value: example } } }),
});
