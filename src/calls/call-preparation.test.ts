import { describe, expect, it } from 'vitest';
import { failureOf, openCallPipeline } from '../../test/support/call-pipeline.ts';

const SKY = `
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: x-sky-key, x-secret: SKY_KEY, description: "Get it at https://sky.example/keys." }
paths:
  /grid:
    get:
      operationId: sky_grid
      x-grid: true
      parameters:
        - { name: nx, in: query, required: true, schema: { type: integer } }
        - { name: ny, in: query, required: true, schema: { type: integer } }
      responses: {}
  /days:
    get:
      operationId: sky_days
      parameters:
        - { name: from, in: query, schema: { type: string }, x-default: { value: yesterday-kst, unless: [month] } }
        - { name: to, in: query, schema: { type: string }, x-default: today-kst }
        - { name: month, in: query, schema: { type: string } }
        - { name: unit, in: query, schema: { type: string, enum: [C, F], default: C } }
      responses: {}
  /places/{place}:
    get:
      operationId: sky_place
      parameters:
        - { name: place, in: path, required: true, description: Name of a place., schema: { type: string } }
        - { name: n, in: query, schema: { type: integer, maximum: 9 } }
      responses: {}
  /keyed:
    get: { operationId: sky_keyed, security: [{ key: [] }], responses: {} }
`;

const urlOf = async (tool: string, args: Record<string, unknown>) => {
  const gateway = await openCallPipeline(SKY);
  const { upstream } = await gateway.call(tool, args);
  return upstream.url.replace('https://sky.example', '');
};

describe('the arguments of a call', () => {
  it.each([
    ['sky_days', {}, '/days?from=20261120&to=20261121&unit=C'],
    ['sky_days', { to: '20261101' }, '/days?from=20261120&to=20261101&unit=C'],
    ['sky_days', { month: '202610', unit: 'F' }, '/days?to=20261121&month=202610&unit=F'],
    ['sky_grid', { nx: 60, ny: 127 }, '/grid?nx=60&ny=127'],
    ['sky_grid', { lat: 37.5665, lon: 126.978 }, '/grid?nx=60&ny=127'],
    ['sky_grid', { lat: 37.5665, lon: 126.978, nx: 60, ny: 127 }, '/grid?nx=60&ny=127'],
    ['sky_place', { place: '서울 역' }, '/places/%EC%84%9C%EC%9A%B8%20%EC%97%AD'],
  ])('of %s are completed: %j', async (tool, args, url) => {
    expect(await urlOf(tool, Object.freeze(args))).toBe(url);
  });

  it.each([
    ['sky_place', {}, ['/place']],
    ['sky_place', { place: {}, n: 10, m: 1 }, ['/m', '/n', '/place']],
    ['sky_place', { place: '..' }, ['/place']],
    ['sky_place', { place: 'a/../b' }, ['/place']],
    ['sky_grid', {}, ['']],
    ['sky_grid', { nx: 60 }, ['/ny']],
    ['sky_grid', { lat: 37.5 }, ['/lon']],
    ['sky_grid', { lat: 32, lon: 132.8 }, ['/lat', '/lon']],
    ['sky_days', { unit: 'K' }, ['/unit']],
  ])('of %s are rejected before anything is sent: %j', async (tool, args, paths) => {
    const gateway = await openCallPipeline(SKY);
    const failure = await failureOf(gateway.call(tool, args));
    expect(failure).toMatchObject({ code: 'invalid_arguments', tool });
    expect(failure.errors.map(({ path }) => path).sort()).toEqual(paths);
    expect(gateway.steps).toEqual(['appended', 'committed', 'finished']);
    expect(gateway.records).toMatchObject([
      { auditId: failure.auditId, arguments: args, outcome: 'error', durationMs: 0 },
    ]);
  });

  it('are rejected even if the response is in the cache', async () => {
    const gateway = await openCallPipeline(SKY);
    await gateway.call('sky_place', { place: 'seoul' });
    const failure = await failureOf(gateway.call('sky_place', { place: 'seoul', n: 10 }));
    expect(failure.message).toBe('sky_place: /n must be at most 9, but is 10.');
  });
});

describe('a secret that is not set', () => {
  it('fails the call, and says who must set it and where to get it', async () => {
    const gateway = await openCallPipeline(SKY);
    expect(await failureOf(gateway.call('sky_keyed'))).toMatchObject({
      code: 'missing_secret',
      message:
        'The gateway has no value for SKY_KEY; its operator must set it. Get it at https://sky.example/keys.',
    });
    expect(gateway.steps).toEqual(['appended', 'committed', 'finished']);
  });

  it('fails every call until it is set', async () => {
    const gateway = await openCallPipeline(SKY);
    await failureOf(gateway.call('sky_keyed'));
    await failureOf(gateway.call('sky_keyed'));
    gateway.setSecret('SKY_KEY', 'a-long-key');
    expect(await gateway.call('sky_keyed')).toMatchObject({ cacheStatus: 'MISS' });
    expect(gateway.records.map(({ outcome }) => outcome)).toEqual(['error', 'error', 'ok']);
  });
});
