import type { RouteDescription } from '../../dialects/route.ts';
import { collectSchemas, type Schemas } from './collect-schemas.ts';
import { describeOperation, describeRefusals } from './describe-operation.ts';
import { introduction, TAGS } from './introduction.ts';

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
  const responses = collectSchemas(describeRefusals(), schemas);
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
  const items = [...byPath].map(([path, onPath]) => [
    path,
    Object.fromEntries(
      onPath.map((route) => [route.method.toLowerCase(), describeOperation(route)]),
    ),
  ]);
  return Object.fromEntries(items);
}
