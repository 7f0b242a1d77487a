import { refusal } from '../../dialects/json-rpc/component.ts';
import type { RouteDescription, RouteResponseDescription } from '../../dialects/route.ts';
import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';

export interface DescriptionOptions {
  readonly baseUrl: string;
  readonly version: string;
}

/** The OpenAPI description of the routes (docs/contract.md#api-description). */
export function describeApi(
  routes: readonly RouteDescription[],
  { baseUrl, version }: DescriptionOptions,
): object {
  const described = routes.filter(({ operation }) => operation !== null);
  const used = new Set(described.map(({ tag }) => tag));
  const tags = new Set([...Object.keys(TAGS).filter((name) => used.has(name)), ...used]);
  const schemas: Schemas = new Map();
  const paths = collectSchemas(pathsOf(described), schemas);
  const responses = collectSchemas(mapValues(COMMON_REFUSALS, describeResponse), schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tool Gateway API',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: introduction(baseUrl),
    },
    servers: [{ url: baseUrl }],
    tags: [...tags].map((name) => ({ name, description: TAGS[name] ?? `Tools: ${name}.` })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The same.' },
      },
      responses,
      schemas: Object.fromEntries([...schemas].map(([name, { schema }]) => [name, schema])),
    },
  };
}

function pathsOf(routes: readonly RouteDescription[]): object {
  const byPath = Map.groupBy(routes, ({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'));
  return mapValues(Object.fromEntries(byPath), (onPath) =>
    Object.fromEntries(
      onPath.map((route) => [route.method.toLowerCase(), describeOperation(route)]),
    ),
  );
}

/** What each tag groups, in the order of the page. */
const TAGS: Readonly<Partial<Record<string, string>>> = {
  'JSON-RPC': 'List tools and run them. MCP clients use the same address.',
  Tools: 'The tools that an API key may use.',
  Registry: 'The tools of the presets, for everyone.',
  Registration: 'Your own APIs as tools.',
  Events: 'A stream of finished calls and of registration jobs.',
  Audit: 'A record of every call.',
  Health: 'For operators and probes.',
  'Provider keys': 'The provider keys that your tenant uses.',
  Management: 'For API keys with a scope: tenants, people, keys, APIs, records and statistics.',
};

/** Where a gateway is that does not know its address. */
export const LOCAL_ADDRESS = 'http://127.0.0.1:8080';

/** The introduction of the description: Markdown with a first call. */
const introduction = (
  baseUrl: string,
): string => `Data APIs as tools: list them over REST or JSON-RPC, run them with \`tools/call\` on \`POST /mcp\`.

## A first call

An API key comes from the operator of the gateway, or from its dashboard at \`/admin\`. Send it as \`x-api-key\` or as \`Authorization: Bearer\`.

\`\`\`sh
GATEWAY=${URL.canParse(baseUrl) ? baseUrl : LOCAL_ADDRESS}
KEY=tg_live_...
curl -s $GATEWAY/mcp \\
  -H "x-api-key: $KEY" \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc": "2.0", "id": 1,
       "method": "tools/call",
       "params": {"name": "frankfurter_rates",
         "arguments": {"base": "USD", "quotes": "KRW"}}}'
\`\`\`

\`result.data\` holds the data, \`result.provenance\` their source and time, and \`result.auditId\` the record of the call. Find other tools with \`tools/list\`, or without a key:

\`\`\`sh
curl -s "$GATEWAY/registry/tools?q=weather"
\`\`\`

## Errors

A refusal over HTTP has the members \`error\` and \`message\`; \`message\` says what to do. A JSON-RPC error has status 200 and the member \`error\` with \`code\` and \`message\`. Every response has \`x-request-id\`.

## Typed clients

\`$GATEWAY/openapi.json?tools=1\` has one operation for each tool of the presets, with the schema of its arguments, for generators of clients.
`;

/** The shared schemas of a description, by name. */
export type Schemas = Map<string, { readonly from: unknown; readonly schema: unknown }>;

/** Values, in which nothing is a schema. */
const LITERALS = ['const', 'default', 'enum', 'example', 'examples'];
/** Schemas by names, which may be names of keywords, too. */
const BY_NAME = ['properties', 'patternProperties', 'dependentSchemas'];
const DEFINITIONS = '#/$defs/';

/**
 * A copy of a part of the description in which references to `schemas` replace the schemas that have a `$id`. Their
 * `$defs` become schemas, too. An object without listed members says that it is free: generators take it to be empty.
 */
export function collectSchemas(part: unknown, schemas: Schemas, owner = ''): unknown {
  if (Array.isArray(part)) return part.map((item) => collectSchemas(item, schemas, owner));
  if (!isObject(part)) return part;
  const { $id: name, ...schema } = part;
  if (typeof name !== 'string') return collectMembers(schema, schemas, owner);
  const known = schemas.get(name);
  // TypeBox copies the schemas that others contain.
  if (known && JSON.stringify(known.from) !== JSON.stringify(part))
    throw new Error(`Two schemas are named ${name}.`);
  if (!known) addSchema(name, part, schema, schemas);
  return referenceTo(name);
}

function addSchema(name: string, from: unknown, schema: JsonObject, schemas: Schemas): void {
  const { $defs: definitions, ...rest } = schema;
  schemas.set(name, { from, schema: collectMembers(rest, schemas, name) });
  if (!isObject(definitions)) return;
  for (const [word, definition] of Object.entries(definitions)) {
    const collected = collectSchemas(definition, schemas, name);
    schemas.set(`${name}_${word}`, { from: definition, schema: collected });
  }
}

function collectMembers(schema: JsonObject, schemas: Schemas, owner: string): JsonObject {
  const members = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (LITERALS.includes(key)) return [key, value];
    if (key === '$ref') return [key, withOwner(value, owner)];
    if (BY_NAME.includes(key) && isObject(value)) {
      return [key, mapValues(value, (member) => collectSchemas(member, schemas, owner))];
    }
    return [key, collectSchemas(value, schemas, owner)];
  });
  const free = isFree(schema) ? { additionalProperties: true } : {};
  return { ...Object.fromEntries(members), ...free };
}

const withOwner = (reference: unknown, owner: string): unknown =>
  typeof reference === 'string' && reference.startsWith(DEFINITIONS)
    ? referenceTo(`${owner}_${reference.slice(DEFINITIONS.length)}`).$ref
    : reference;

const referenceTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const isFree = (schema: JsonObject): boolean =>
  [schema['type']].flat().includes('object') &&
  ['properties', 'additionalProperties', 'patternProperties', 'allOf', 'anyOf', 'oneOf'].every(
    (keyword) => !Object.hasOwn(schema, keyword),
  );

const SECURITY = [{ bearer: [] }, { apiKey: [] }];

/** One operation of the description; schemas with a `$id` are still in place. */
function describeOperation(route: RouteDescription): object {
  const { operation, tag, summary, description, access } = route;
  const parameters = parametersOf(route);
  return {
    operationId: operation,
    tags: [tag],
    summary,
    ...(description ? { description } : {}),
    security: access === 'key' ? SECURITY : [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBodyOf(route),
    responses: {
      ...mapValues(refusalsOf(route), (name) => ({ $ref: `#/components/responses/${name}` })),
      ...mapValues(route.responses, describeResponse),
    },
  };
}

function parametersOf({ params = {}, query = {} }: RouteDescription): object[] {
  const inPath = Object.entries(params).map(([name, description]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', maxLength: 300 },
  }));
  const inQuery = Object.entries(query as Record<string, JsonObject>).map(
    ([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      ...(description ? { description } : {}),
      schema,
    }),
  );
  return [...inPath, ...inQuery];
}

function requestBodyOf({ body, bodies }: RouteDescription): object {
  const byType = bodies ?? (body && { 'application/json': body });
  if (!byType) return {};
  return { requestBody: { required: true, content: mapValues(byType, describeBody) } };
}

const describeBody = ({ schema, examples }: { schema: object; examples?: object | undefined }) => ({
  schema,
  ...(examples ? { examples } : {}),
});

function describeResponse(response: RouteResponseDescription): object {
  const { description, schema, examples, headers, contentType = 'application/json' } = response;
  return {
    description,
    ...(headers ? { headers: mapValues(headers, describeHeader) } : {}),
    ...(schema ? { content: { [contentType]: describeBody({ schema, examples }) } } : {}),
  };
}

const describeHeader = ({ description, ...schema }: Readonly<Record<string, unknown>>) => ({
  description,
  schema,
});

const mapValues = <V>(object: Readonly<Record<string, V>>, to: (value: V) => unknown): object =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, to(value)]));

const RETRY_AFTER = { 'retry-after': { type: 'integer', description: 'Seconds to wait.' } };

/** Refusals that many operations have, by the names of their components (docs/contract.md#statuses). */
const COMMON_REFUSALS = {
  BadRequest: refusal('A query parameter is unknown, repeated or not valid.'),
  Unauthorized: refusal('The API key is missing, unknown, revoked or expired.'),
  Forbidden: refusal('The `Origin` is not allowed.'),
  PayloadTooLarge: refusal('The body is too large.'),
  UnsupportedMediaType: refusal('The body has another media type, or a content coding.'),
  TooManyRequests: {
    ...refusal(
      'The rate limit or the daily limit of the API key, or the rate limit of its tenant, is used up.',
    ),
    headers: RETRY_AFTER,
  },
  Refusal: refusal('Any other refusal.'),
};

type RefusalName = keyof typeof COMMON_REFUSALS;

/** The refusals of an operation by status, beside those that only it has. */
function refusalsOf(route: RouteDescription): Readonly<Record<string, RefusalName>> {
  const { method, access, query, ignoresOtherQuery, body, bodies } = route;
  return {
    ...(query || (method !== 'POST' && !ignoresOtherQuery) ? { 400: 'BadRequest' } : {}),
    ...(access === 'key' ? { 401: 'Unauthorized', 429: 'TooManyRequests' } : {}),
    403: 'Forbidden',
    ...(body || bodies ? { 413: 'PayloadTooLarge', 415: 'UnsupportedMediaType' } : {}),
    default: 'Refusal',
  };
}
