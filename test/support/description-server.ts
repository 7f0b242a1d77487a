import { createServer } from 'node:http';

/** A server with the description of an API, whose responses the test can hold. */
export interface DescriptionServer {
  /** Address of the description. */
  readonly url: string;
  /** How often the description was requested. */
  readonly requests: () => number;
  /** Until it is released, the server does not respond to requests for the description. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

/** Serves a description with this many operations, named `item1`, `item2` and so on. Its other addresses are the API. */
export async function startDescriptionServer(operations: number): Promise<DescriptionServer> {
  let requests = 0;
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const server = createServer(async ({ url }, response) => {
    if (url !== '/openapi.json') return response.end(JSON.stringify({ url }));
    requests++;
    await gate.promise;
    return response.setHeader('content-type', 'application/json').end(describeItems(operations));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/openapi.json`,
    requests: () => requests,
    hold: () => {
      gate = Promise.withResolvers();
    },
    release: () => gate.resolve(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function describeItems(operations: number): string {
  const paths = Array.from({ length: operations }, (_, at) => [
    `/items/${at + 1}`,
    {
      get: {
        operationId: `item${at + 1}`,
        description: `Returns item ${at + 1}.`,
        parameters: ['color', 'size'].map((name) => ({
          name,
          in: 'query',
          description: `The ${name} of the item.`,
          schema: { type: 'string', maxLength: 100, pattern: '^[a-z]*$' },
        })),
        responses: { 200: { description: 'The item.' } },
      },
    },
  ]);
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Items', version: '1' },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(paths),
  });
}
