import type {
  RouteBodyDescription,
  RouteDescription,
  RouteResponseDescription,
} from '../../dialects/route.ts';
import { COMMON_REFUSALS, refusalsOf } from './common-refusals.ts';

const SECURITY = [{ bearer: [] }, { apiKey: [] }];

/** One operation of the description; schemas with a `$id` are still in place. */
export function describeOperation(route: RouteDescription): object {
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

/** The refusals to which operations refer. */
export const describeRefusals = (): object => mapValues(COMMON_REFUSALS, describeResponse);

function parametersOf({ params = {}, query = {} }: RouteDescription): object[] {
  const inPath = Object.entries(params).map(([name, description]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', maxLength: 300 },
  }));
  const inQuery = Object.entries(query).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description ? { description } : {}),
    schema,
  }));
  return [...inPath, ...inQuery];
}

function requestBodyOf({ body, bodies }: RouteDescription): object {
  const byType = bodies ?? (body && { 'application/json': body });
  if (!byType) return {};
  return { requestBody: { required: true, content: mapValues(byType, describeBody) } };
}

const describeBody = ({ schema, examples }: RouteBodyDescription): object => ({
  schema,
  ...(examples ? { examples } : {}),
});

function describeResponse(response: RouteResponseDescription): object {
  const { description, schema, examples, headers, contentType = 'application/json' } = response;
  return {
    description,
    ...(headers ? { headers: mapValues(headers, describeHeader) } : {}),
    ...(schema
      ? { content: { [contentType]: describeBody({ schema, ...(examples ? { examples } : {}) }) } }
      : {}),
  };
}

const describeHeader = ({ description, ...schema }: Readonly<Record<string, unknown>>) => ({
  description,
  schema,
});

const mapValues = <V>(object: Readonly<Record<string, V>>, to: (value: V) => object): object =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, to(value)]));
