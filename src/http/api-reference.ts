import swagger from '@fastify/swagger';
import fastify, { type FastifyInstance } from 'fastify';

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
  installDocs(app);
}

/**
 * The page that shows the description is an application of its own, made when somebody first looks: it holds 40 MB
 * of memory that most gateways never need.
 */
function installDocs(app: FastifyInstance): void {
  let docs: Promise<FastifyInstance> | undefined;
  for (const url of ['/docs', '/docs/*']) {
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      docs ??= createDocs();
      const { routing } = await docs;
      reply.hijack();
      reply.raw.setHeader('x-request-id', request.id);
      routing(request.raw, reply.raw);
    });
  }
  app.addHook('onClose', async () => (await docs)?.close());
}

async function createDocs(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const docs = fastify();
  await docs.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // These would carry the description, and questions about it, to somebody else's servers.
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      // No file: the browser would ask for /favicon.ico.
      favicon: 'data:,',
      defaultOpenAllTags: true,
      authentication: { preferredSecurityScheme: 'bearer' },
    },
  });
  await docs.ready();
  return docs;
}

/** Puts the described body where the framework would look for a checked one. */
function withBody(schema: object | undefined): object {
  if (!schema || !('x-body' in schema)) return schema ?? {};
  const { 'x-body': body, ...rest } = schema;
  return { ...rest, body };
}
