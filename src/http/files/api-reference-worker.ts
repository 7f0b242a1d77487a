import { parentPort } from 'node:worker_threads';
import scalar from '@scalar/fastify-api-reference';
import fastify from 'fastify';
import { type RenderedReference, scriptNameOf } from './rendered-reference.ts';

/** Gets a file from the package through HTTP, the only interface that it has. */
async function render(path: string, scriptName: string): Promise<Uint8Array<ArrayBuffer>> {
  const app = fastify();
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '../openapi.json',
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
