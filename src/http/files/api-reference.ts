import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { GatewayError } from '../../platform/kernel/error.ts';
import { loadReference } from './load-reference.ts';
import { pageHeaders } from './security-headers.ts';
import { IMMUTABLE, lazily, prepareFile, REVALIDATED, sendFile } from './static-file.ts';

export interface ApiReferenceOptions {
  readonly baseUrl: string;
  readonly version: string;
}

/** Adds `GET /openapi.json`, generated from the routes, and `GET /docs`, which shows it. */
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
    transform: ({ schema, url }) => ({ schema: withInput(schema), url }),
  });
  installDescription(app);
  installDocs(app, options.baseUrl);
}

const HIDDEN = { schema: { hide: true } };

function installDescription(app: FastifyInstance): void {
  const description = lazily(() =>
    prepareFile('application/json; charset=utf-8', Buffer.from(JSON.stringify(app.swagger()))),
  );
  app.get('/openapi.json', HIDDEN, async (request, reply) =>
    sendFile(await description(), request, reply, REVALIDATED),
  );
}

/** Renders the page at the first request, since most gateways never need it. */
function installDocs(app: FastifyInstance, baseUrl: string): void {
  const docs = lazily(() => loadDocs(URL.canParse(baseUrl) ? [new URL(baseUrl).origin] : []));
  app.get('/docs', HIDDEN, (_request, reply) => reply.redirect('/docs/', 301));
  app.get('/docs/', HIDDEN, async (request, reply) => {
    const { page, headers } = await docs();
    return sendFile(page, request, reply.headers(headers), REVALIDATED);
  });
  app.get<{ Params: { file: string } }>('/docs/js/:file', HIDDEN, async (request, reply) => {
    const { script, scriptName } = await docs();
    const { file } = request.params;
    if (file !== scriptName && file !== 'scalar.js') throw new GatewayError('not_found');
    return sendFile(script, request, reply, file === scriptName ? IMMUTABLE : REVALIDATED);
  });
}

async function loadDocs(gatewayOrigins: readonly string[]) {
  const { page, script, scriptName } = await loadReference();
  const html = Buffer.from(page.buffer);
  return {
    page: await prepareFile('text/html; charset=utf-8', html),
    script: await prepareFile('text/javascript; charset=utf-8', Buffer.from(script.buffer)),
    scriptName,
    headers: pageHeaders(html.toString(), gatewayOrigins),
  };
}

interface Described extends FastifySchema {
  readonly 'x-body'?: object;
  readonly 'x-query'?: object;
}

/** Moves a body and a query that are only described to where the framework expects those that it validates. */
function withInput(schema: Described = {}): object {
  const { 'x-body': body, 'x-query': querystring, ...rest } = schema;
  return { ...rest, ...(body ? { body } : {}), ...(querystring ? { querystring } : {}) };
}
