import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request as the upstream received it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type UpstreamHandler = (
  request: SeenRequest,
  response: ServerResponse,
) => void | Promise<void>;

const MAX_SEEN = 10_000;

/** An upstream whose responses the test defines. */
export interface FixtureUpstream {
  readonly url: string;
  /** The latest 10,000 requests. */
  readonly seen: SeenRequest[];
  /** Sets the handler of further requests; the default one responds with `{"ok":true}`. */
  answer(handler: UpstreamHandler): void;
  close(): Promise<void>;
}

export async function startFixtureUpstream(): Promise<FixtureUpstream> {
  const seen: SeenRequest[] = [];
  let handler: UpstreamHandler = (_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"ok":true}');
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, async (incoming, response) => {
    const request = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body: (await buffer(incoming)).toString(),
    };
    if (seen.push(request) > MAX_SEEN) seen.shift();
    await handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    seen,
    answer: (next) => {
      handler = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Tools over the fixture upstream: cached, uncached, with a secret, with a time to live of one second. */
export const fixturePreset = `openapi: 3.1.0
info: { title: Fixture, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
paths:
  /cached:
    get:
      operationId: fixture_cached
      description: Cached for a minute.
      parameters:
        - { name: n, in: query, required: true, description: A number., schema: { type: integer, minimum: 1, maximum: 9000 } }
        - { name: color, in: query, description: A colour., schema: { type: string, enum: [red, green] } }
      responses: { "200": { description: Anything. } }
  /brief:
    get:
      operationId: fixture_brief
      x-cache-ttl: 1
      description: Cached for a second.
      responses: { "200": { description: Anything. } }
  /uncached:
    get:
      operationId: fixture_uncached
      x-cache-ttl: 0
      description: Never cached.
      responses: { "200": { description: Anything. } }
  /secret/{part}:
    get:
      operationId: fixture_secret
      description: Sends a secret.
      parameters:
        - { name: part, in: path, required: true, description: A part of the path., schema: { type: string } }
        - { name: token, in: query, x-secret: FIXTURE_TOKEN, schema: { type: string } }
      responses: { "200": { description: Anything. } }
  /write:
    post:
      operationId: fixture_write
      description: Writes.
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [title]
              properties:
                title: { type: string, description: A title. }
                tags: { type: array, items: { type: string }, description: Some tags. }
      responses: { "200": { description: Anything. } }
`;
