import { describe, expect, it } from 'vitest';
import { failureOf, openCallPipeline, type Respond } from '../../test/support/call-pipeline.ts';

const SKY = `
components:
  securitySchemes:
    key: { type: apiKey, in: query, name: key, x-secret: SKY_KEY }
    login: { type: http, scheme: bearer, x-secret: SKY_TOKEN }
paths:
  /keyed/{place}:
    get:
      operationId: sky_keyed
      security: [{ key: [], login: [] }]
      parameters:
        - { name: place, in: path, required: true, schema: { type: string } }
      responses: {}
  /fresh:
    get: { operationId: sky_fresh, x-cache-ttl: 0, security: [{ key: [] }], responses: {} }
`;

const KEY = 'recognisable/key 1';
const TOKEN = 'recognisable-token';
const secrets = { SKY_KEY: KEY, SKY_TOKEN: TOKEN };

/** Quotes the request, as many upstreams do. */
const echo = (({ path, headers }) => ({
  body: { path, text: decodeURIComponent(path), said: headers['authorization'] },
})) satisfies Respond;

const open = async (respond: Respond) => {
  const gateway = await openCallPipeline(SKY, { secrets });
  gateway.answer(respond);
  return gateway;
};

describe('a secret', () => {
  it('is sent, and reads REDACTED in the address that is told, recorded and published', async () => {
    const gateway = await open(() => ({ body: {} }));
    const { upstream } = await gateway.call('sky_keyed', { place: 'seoul' });
    expect(gateway.sent[0]?.url).toContain(encodeURIComponent(KEY));
    const url = 'https://sky.example/keyed/seoul?key=REDACTED';
    expect(upstream.url).toBe(url);
    expect(gateway.records[0]?.upstream.url).toBe(url);
    expect(gateway.finished[0]?.url).toBe(url);
  });

  it('is taken out of an answer that repeats it, also when that is in the cache', async () => {
    const gateway = await open(echo);
    const data = {
      path: '/keyed/seoul?key=REDACTED',
      text: '/keyed/seoul?key=REDACTED',
      said: 'Bearer REDACTED',
    };
    expect(await gateway.call('sky_keyed', { place: 'seoul' })).toMatchObject({ data });
    const again = await gateway.call('sky_keyed', { place: 'seoul' });
    expect(again).toMatchObject({ cacheStatus: 'HIT', data });
  });

  it.each<[string, Respond]>([
    ['a refusal', (request) => ({ ...echo(request), status: 403 })],
    [
      'a page',
      ({ path }) => ({ status: 404, contentType: 'text/html', body: `<p>No ${path}</p>` }),
    ],
    ['XML', ({ path }) => ({ contentType: 'text/xml', body: `<a><b>${path}</b></a>` })],
  ])('is taken out of %s', async (_, respond) => {
    const gateway = await open(respond);
    const told = await gateway.call('sky_keyed', { place: 'seoul' });
    expect(JSON.stringify(told.data)).toContain('/keyed/seoul?key=REDACTED');
    expect(JSON.stringify([told, gateway.records])).not.toContain('recognisable');
  });

  it('is hidden although the operator has changed it since it was sent', async () => {
    const gateway = await open((request) => {
      gateway.setSecret('SKY_KEY', 'another-long-key');
      return echo(request);
    });
    const { data } = await gateway.call('sky_fresh');
    expect(data).toMatchObject({ text: '/fresh?key=REDACTED' });
    const next = await gateway.call('sky_fresh');
    expect(gateway.sent[1]?.url).toBe('https://sky.example/fresh?key=another-long-key');
    expect(next.data).toMatchObject({ text: '/fresh?key=REDACTED' });
  });

  it('is told to nobody when something of ours fails', async () => {
    const gateway = await open(({ path }) => {
      throw new TypeError(`Invalid URL: ${path}`);
    });
    const failure = await failureOf(gateway.call('sky_keyed', { place: 'seoul' }));
    expect(failure.code).toBe('internal');
    expect(JSON.stringify([failure, gateway.records, gateway.finished])).not.toContain(
      'recognisable',
    );
  });
});
