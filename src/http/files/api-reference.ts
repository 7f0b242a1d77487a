import type { FastifyInstance } from 'fastify';
import { endsWithSlash, type RouteDescription } from '../../dialects/route.ts';
import { lazily, memoizeLast } from '../../platform/kernel/memo.ts';
import { type DescriptionOptions, describeApi } from '../description/describe-api.ts';
import { writeReference } from '../description/write-reference.ts';
import { prepareFile, REVALIDATED, sendFile } from './static-file.ts';

export interface ApiReferenceOptions extends DescriptionOptions {
  readonly routes: readonly RouteDescription[];
  /** Calls of single tools, which `?tools=1` adds. */
  readonly toolCalls: () => readonly RouteDescription[];
}

/** Adds `GET /openapi.json`, which describes the routes, and `GET /docs`, which shows it. */
export function installApiReference(app: FastifyInstance, options: ApiReferenceOptions): void {
  installDescription(app, options);
  installDocs(app, options);
}

function installDescription(
  app: FastifyInstance,
  { routes, toolCalls, ...options }: ApiReferenceOptions,
): void {
  const prepare = (described: readonly RouteDescription[]) => {
    const text = JSON.stringify(describeApi(described, options));
    return prepareFile('application/json; charset=utf-8', Buffer.from(text));
  };
  const description = lazily(() => prepare(routes));
  const withTools = memoizeLast((calls: readonly RouteDescription[]) =>
    lazily(() => prepare([...routes, ...calls])),
  );
  app.get<{ Querystring: { tools?: unknown } }>('/openapi.json', async (request, reply) => {
    const file = await (request.query.tools === '1' ? withTools(toolCalls())() : description());
    return sendFile(file, request, reply, REVALIDATED);
  });
}

/** Written at the first request, since most gateways never need it. */
function installDocs(
  app: FastifyInstance,
  { routes, toolCalls: _, ...options }: ApiReferenceOptions,
) {
  const docs = lazily(async () => {
    const { markup, headers } = writeReference(describeApi(routes, options), options.baseUrl);
    const page = await prepareFile('text/html; charset=utf-8', Buffer.from(markup));
    return { page, headers };
  });
  app.get('/docs', async (request, reply) => {
    // Relative, as all addresses in the page: a proxy may serve the gateway below a path of its own.
    if (!endsWithSlash(request.url)) return reply.redirect('docs/', 301);
    const { page, headers } = await docs();
    return sendFile(page, request, reply.headers(headers), REVALIDATED);
  });
}
