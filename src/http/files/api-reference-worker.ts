import { parentPort } from 'node:worker_threads';
import scalar from '@scalar/fastify-api-reference';
import fastify from 'fastify';
import { type RenderedReference, scriptNameOf } from './rendered-reference.ts';

/** Of the browser, in which the function below runs. */
declare const location: { readonly href: string };

interface Description {
  servers: { readonly url: string }[];
  readonly info: { description: string };
}

/**
 * Gets the description for the page. Without BASE_URL, the description does not know where the gateway is served; the page
 * does. It becomes a part of the page as text, and uses nothing of this file.
 */
async function fetchDescription(input: string | URL | Request, init?: RequestInit) {
  const response = await fetch(input, init);
  // Requests that the reader tries out come here, too.
  if (!response.ok || !response.url.endsWith('/openapi.json')) return response;
  const description = (await response.json()) as Description;
  if (description.servers[0]?.url === '/') {
    const { href } = new URL('..', location.href);
    const address = href.slice(0, -1);
    description.servers = [{ url: address }];
    const { info } = description;
    info.description = info.description.replace(/^GATEWAY=.*$/m, () => `GATEWAY=${address}`);
  }
  return Response.json(description);
}

/** Gets a file from the package through HTTP, the only interface that it has. */
async function render(path: string, scriptName: string): Promise<Uint8Array<ArrayBuffer>> {
  const app = fastify();
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '../openapi.json',
      customFetch: fetchDescription,
      pageTitle: 'Tool Gateway API',
      cdn: `js/${scriptName}`,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // These would send the description, and questions about it, to third-party servers.
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      // Without this, browsers would request /favicon.ico.
      favicon: 'data:,',
      defaultOpenAllTags: true,
      authentication: { preferredSecurityScheme: 'bearer' },
    },
  });
  const { statusCode, rawPayload } = await app.inject(path);
  if (statusCode !== 200)
    throw new Error(`The API reference package responded with ${statusCode}.`);
  return new Uint8Array(rawPayload);
}

const script = await render('/docs/js/scalar.js', 'scalar.js');
const scriptName = scriptNameOf(script);
const page = await render('/docs/', scriptName);
parentPort?.postMessage({ page, script, scriptName } satisfies RenderedReference, [
  page.buffer,
  script.buffer,
]);
