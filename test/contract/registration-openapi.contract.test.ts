import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dereference } from '../support/api-description.ts';
import { TEST_BACKENDS } from '../support/databases.ts';
import { openRegistrationServer, type RegistrationServer } from '../support/registration-server.ts';
import { verifies } from './requirements.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/contract.md'), 'utf8');
const section = (page.split('\n## Registration\n')[1] ?? '').split('\n## ')[0] ?? '';

/** The words of the first column of the table with this head. */
function firstColumn(head: string): string[] {
  const table = (section.split(`\n${head}\n`)[1] ?? '').split('\n\n')[0] ?? '';
  const rows = table.split('\n').slice(1);
  return rows.flatMap((row) => row.split('|')[1]?.match(/\w+/g) ?? []);
}

/** What `/openapi.json` says about registration, compared with docs/contract.md#registration. */
describe(verifies('registration.openapi'), () => {
  let server: RegistrationServer;
  // biome-ignore lint/suspicious/noExplicitAny: the shape of the description is under test.
  let paths: any;
  beforeAll(async () => {
    const [backend] = TEST_BACKENDS;
    if (!backend) throw new Error('No backend is given.');
    server = await openRegistrationServer({ backend });
    ({ paths } = dereference((await server.json('/openapi.json', { key: null })).body));
  });
  afterAll(() => server.close());

  test('the form and the statuses of a request', () => {
    const { parameters = [], requestBody, responses } = paths['/api/v1/register'].post;
    expect(parameters).toEqual([]);
    const { schema, examples } = requestBody.content['application/json'];
    expect(Object.keys(examples.address.value)).toContain('name');
    const form = requestBody.content['multipart/form-data'].schema.properties;
    expect(form.request).toEqual(schema);
    expect(Object.keys(form)).toEqual(['request', 'document']);
    expect(Object.keys(requestBody.content)).toHaveLength(2);
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(firstColumn('| status | when |')),
    );
    for (const status of ['202', '409']) expect(responses[status].headers.location).toBeDefined();
  });

  test('the states of a job', () => {
    const { schema } =
      paths['/api/v1/register/{id}/status'].get.responses[200].content['application/json'];
    expect(schema.properties.status.enum).toEqual(firstColumn('| `status` | meaning | next |'));
  });

  test('the members of a deletion', () => {
    const { delete: deletion } = paths['/api/v1/registrations/{id}'];
    const { schema } = deletion.responses[200].content['application/json'];
    expect(Object.keys(schema.properties)).toEqual(['deleted', 'message']);
  });
});
