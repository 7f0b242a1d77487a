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

/** Repeats the request, as many upstreams do. */
const echo = (({ path, headers }) => ({
  body: { path, text: decodeURIComponent(path), login: headers['authorization'] },
})) satisfies Respond;

const open = async (respond: Respond) => {
  const gateway = await openCallPipeline(SKY, { secrets });
  gateway.answer(respond);
  return gateway;
};

describe('a secret', () => {
  it('is removed even if the operator has changed it since it was sent', async () => {
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

  it('is not disclosed when the gateway itself fails', async () => {
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

describe('what the upstream client added to a request', () => {
  const hidden = [
    { value: 'added-token', name: 'authorization', in: 'header', prefix: 'Bearer ' },
  ] as const;

  it('is redacted in the response, with the secrets of the tool and without', async () => {
    const gateway = await openCallPipeline(
      `${SKY}  /open: { get: { operationId: sky_open, responses: {} } }\n`,
      { secrets },
    );
    gateway.answer({ body: { added: 'Bearer added-token', key: KEY }, hidden });
    const keyed = await gateway.call('sky_keyed', { place: 'seoul' });
    expect(keyed.data).toEqual({ added: 'Bearer REDACTED', key: 'REDACTED' });
    const open = await gateway.call('sky_open');
    expect(open.data).toEqual({ added: 'Bearer REDACTED', key: KEY });
  });
});
