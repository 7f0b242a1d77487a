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

/** The rest of the line after these words. */
const lineAfter = (words: string): string => (section.split(words)[1] ?? '').split('\n')[0] ?? '';

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

  test('the members and the form of a request', () => {
    const { post } = paths['/api/v1/register'];
    const { schema, examples } = post.requestBody.content['application/json'];
    const members = firstColumn('| member | type | required | meaning |');
    expect(members).toContain('base_url');
    expect(Object.keys(schema.properties).sort()).toEqual(members.sort());
    expect(Object.keys(examples.address.value)).toContain('name');
    expect(post.parameters ?? []).toEqual([]);
    const form = post.requestBody.content['multipart/form-data'].schema.properties;
    expect(form.request).toEqual(schema);
    expect(lineAfter('A form (`multipart/form-data`) has ').match(/(?<=part `)\w+(?=`)/g)).toEqual(
      Object.keys(form),
    );
    expect(Object.keys(post.requestBody.content)).toHaveLength(2);
  });

  test('the statuses of a request', () => {
    const { responses } = paths['/api/v1/register'].post;
    const statuses = firstColumn('| status | when |');
    expect(statuses).toContain('202');
    const common = ['401', 'default'];
    expect(Object.keys(responses).filter((status) => !common.includes(status))).toEqual(statuses);
    for (const status of ['202', '409']) expect(responses[status].headers.location).toBeDefined();
  });

  test('the members and states of a job', () => {
    const { schema } =
      paths['/api/v1/register/{id}/status'].get.responses[200].content['application/json'];
    expect(Object.keys(schema.properties)).toEqual(firstColumn('| member | type | meaning |'));
    expect(schema.properties.status.enum).toEqual(firstColumn('| `status` | meaning | next |'));
  });

  test('the members of a registration, of its change and of its deletion', () => {
    const item = paths['/api/v1/registrations/{id}'];
    const schemaOf = (method: string) =>
      item[method].responses[200].content['application/json'].schema;
    const members = lineAfter('A registration is `{')
      .split('`')[0]
      ?.replace(/\{[^}]*\}/g, '');
    const names = [...(members ?? '').matchAll(/"(\w+)"/g)].map(([, name]) => name);
    expect(names).toContain('toolIds');
    expect(Object.keys(schemaOf('patch').properties)).toEqual(names);
    const shown = lineAfter('`GET /api/v1/registrations/:id` also shows its ');
    for (const name of Object.keys(schemaOf('get').properties)) {
      if (!names.includes(name)) expect(shown).toContain(`\`${name}\``);
    }
    expect(Object.keys(schemaOf('delete').properties)).toEqual(['deleted', 'message']);
    const change = item.patch.requestBody.content['application/json'].schema;
    const listed = lineAfter('after the change. Members: ').match(/\w+/g) ?? [];
    expect(Object.keys(change.properties).sort()).toEqual(listed.sort());
  });
});
