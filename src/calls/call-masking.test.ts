import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureOf, openCallPipeline, readFailure } from '../../test/support/call-pipeline.ts';
import {
  cardNumber,
  encoded,
  mailAddress,
  mobileNumber,
  newResidentNumber,
  reveals,
  somewhere,
  token,
  written,
} from '../../test/support/personal-data.ts';

const SKY = `
paths:
  /search/{topic}:
    get:
      operationId: sky_search
      parameters:
        - { name: topic, in: path, required: true, schema: { type: string } }
        - { name: q, in: query, schema: { type: string } }
        - { name: n, in: query, schema: { type: integer, maximum: 9 } }
      responses: {}
  /people/{name}:
    get:
      operationId: sky_person
      x-cache-ttl: 0
      x-personal: [name, born]
      parameters:
        - { name: name, in: path, required: true, schema: { type: string, minLength: 2 } }
        - { name: born, in: query, schema: { type: string, pattern: '^\\d{8}$' } }
        - { name: sort, in: query, schema: { type: string } }
      responses: {}
  /find:
    get:
      operationId: sky_find
      x-cache-ttl: 0
      x-personal: [who]
      parameters:
        - { name: who, in: query, schema: { type: string } }
        - { name: sort, in: query, schema: { type: string } }
      responses: {}
  /doors/{password}:
    get:
      operationId: sky_door
      parameters:
        - { name: password, in: path, required: true, schema: { type: string } }
      responses: {}
`;

const open = () => openCallPipeline(SKY);

const SEARCH = 'https://sky.example/search/{topic}?q&n';

describe('the recorded address', () => {
  it('is base, path template and names of the query; an event has the address of the result', async () => {
    const gateway = await open();
    const args = { topic: '서울', q: '2026-11-21 14:00' };
    const { upstream } = await gateway.call('sky_search', args);
    expect(gateway.records).toMatchObject([{ arguments: args, upstream: { url: SEARCH } }]);
    expect(gateway.finished).toMatchObject([{ url: upstream.url }]);
    expect(upstream.url).toContain('14%3A00');
  });
});

describe('personal data in an argument', () => {
  it('leaves events with the recorded address, of a response from the cache too', async () => {
    const gateway = await open();
    for (const cacheStatus of ['MISS', 'HIT']) {
      const result = await gateway.call('sky_search', { topic: 'hong@example.com' });
      expect(result.cacheStatus).toBe(cacheStatus);
      expect(result.upstream.url).toContain('hong%40example.com');
      expect(gateway.records.at(-1)?.upstream.url).toBe(SEARCH);
      expect(gateway.finished.at(-1)?.url).toBe(SEARCH);
    }
  });

  it('does so even if the value itself does not look personal', async () => {
    const gateway = await open();
    await gateway.call('sky_person', { name: 'Gildong', born: '19990101', sort: 'asc' });
    await gateway.call('sky_find', { who: 'Gildong', sort: 'asc' });
    await gateway.call('sky_door', { password: 'sesame' });
    expect(gateway.records).toMatchObject([
      {
        arguments: { name: '[masked:personal]', born: '[masked:personal]', sort: 'asc' },
        upstream: { url: 'https://sky.example/people/{name}?born&sort', status: 200 },
      },
      {
        arguments: { who: '[masked:personal]', sort: 'asc' },
        upstream: { url: 'https://sky.example/find?who&sort', status: 200 },
      },
      {
        arguments: { password: '[masked:secret]' },
        upstream: { url: 'https://sky.example/doors/{password}', status: 200 },
      },
    ]);
    expect(gateway.finished.map(({ url }) => url)).toEqual(
      gateway.records.map(({ upstream }) => upstream.url),
    );
  });

  it('is quoted in the error that the caller sees, but not in the record', async () => {
    const gateway = await open();
    const args = { name: 'Gildong', born: '1999-1-1' };
    const failure = await failureOf(gateway.call('sky_person', args));
    expect(failure.message).toContain('1999-1-1');
    expect(gateway.records[0]?.error).toEqual({
      code: 'invalid_arguments',
      message: 'The arguments are not valid.',
    });
    expect(JSON.stringify(gateway.records)).not.toMatch(/1999-1-1|Gildong/);
  });

  it('leaves an error message in the record that does not quote it', async () => {
    const gateway = await open();
    const failure = await failureOf(gateway.call('sky_search', { topic: 'a', n: 10 }));
    expect(failure.message).toContain('/n must be at most 9');
    expect(gateway.records[0]?.error?.message).toBe(failure.message);
  });
});

const SECRETS = fc.oneof(
  written(mobileNumber),
  written(newResidentNumber),
  written(cardNumber),
  encoded(mailAddress),
  encoded(token),
);

/** Puts a text into a valid argument, into an invalid one, or anywhere. */
const placements = fc.oneof(
  fc.constantFrom<(text: string) => Record<string, unknown>>(
    (text) => ({ topic: 'a', q: text }),
    (text) => ({ topic: text }),
    (text) => ({ topic: 'a', q: text, n: 10 }),
    (text) => ({ topic: 'a', n: text }),
  ),
  somewhere,
);

it('no record or event contains personal data or secrets, whether the call succeeds or fails', async () => {
  const gateway = await open();
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(SECRETS, placements, async ({ plain, text }, put) => {
      await gateway.call('sky_search', put(text)).catch(readFailure);
      const record = gateway.records.at(-1);
      outcomes.add(record?.outcome ?? '');
      const url = gateway.finished.at(-1)?.url;
      const recorded = JSON.stringify([record?.arguments, url, record?.error]);
      expect(reveals(recorded, plain), recorded).toBe(false);
    }),
  );
  expect([...outcomes].sort()).toEqual(['error', 'ok']);
});
