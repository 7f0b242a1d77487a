import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const PRESET = `openapi: 3.1.0
info: { title: People, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
paths:
  /people/{name}:
    get:
      operationId: fixture_person
      description: A person.
      x-cache-ttl: 0
      x-personal: [name, born]
      parameters:
        - { name: name, in: path, required: true, description: Name., schema: { type: string, minLength: 2 } }
        - { name: born, in: query, description: Date of birth., schema: { type: string, pattern: '^\\d{8}$' } }
        - { name: sort, in: query, description: Order., schema: { type: string } }
      responses: { "200": { description: Anything. } }
`;

describe('a tool with personal data in its arguments', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ presets: { people: PRESET } });
  });
  afterAll(() => gateway.close());

  const recordOf = async (auditId: string) => (await gateway.json(`/api/v1/audit/${auditId}`)).body;

  test('forwards it, and records neither the arguments nor the address that contains them', async () => {
    const args = { name: 'Gildong', born: '19990101', sort: 'asc' };
    const { result } = (await gateway.call('fixture_person', args)).body;
    expect(gateway.upstream.seen.at(-1)?.url).toBe('/people/Gildong?born=19990101&sort=asc');
    const record = await recordOf(result.auditId);
    expect(record.arguments).toEqual({
      name: '[masked:personal]',
      born: '[masked:personal]',
      sort: 'asc',
    });
    expect(record.upstream.url).toBe(`${gateway.upstream.url}/people/{name}?born&sort`);
  });

  test('records none of it when the arguments are refused', async () => {
    const refused = (await gateway.call('fixture_person', { name: 'Gildong', born: '1999-1-1' }))
      .body;
    expect(refused.error.message).toContain('1999-1-1');
    const record = await recordOf(refused.error.data.auditId);
    expect(record.error.code).toBe('invalid_arguments');
    expect(JSON.stringify(record)).not.toMatch(/1999-1-1|Gildong/);
  });

  test('is never cached', async () => {
    const args = { name: 'Cheolsu' };
    for (const _ of ['first', 'second']) {
      const { result } = (await gateway.call('fixture_person', args)).body;
      expect(result.cacheStatus).toBe('BYPASS');
    }
  });
});
