import swagger from '@fastify/swagger';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';

export interface ApiReferenceOptions {
  readonly baseUrl: string;
  readonly version: string;
}

/** `GET /openapi.json`, made from the routes themselves, and `GET /docs`, which shows it. */
export async function installApiReference(
  app: FastifyInstance,
  options: ApiReferenceOptions,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tool Gateway',
        version: options.version,
        description:
          'Data APIs as tools: list them over REST or JSON-RPC, run them with `tools/call` on `POST /mcp`.',
      },
      servers: [{ url: options.baseUrl }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' },
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        },
      },
    },
    transform: ({ schema, url }) => ({ schema: withBody(schema), url }),
  });
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
    },
  });
}

/** Puts the described body where the framework would look for a checked one. */
function withBody(schema: object | undefined): object {
  if (!schema || !('x-body' in schema)) return schema ?? {};
  const { 'x-body': body, ...rest } = schema;
  return { ...rest, body };
}
