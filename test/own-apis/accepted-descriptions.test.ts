import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPlayground, type Play } from './play-description.ts';

let playground: Awaited<ReturnType<typeof openPlayground>>;
beforeAll(async () => {
  playground = await openPlayground();
});
afterAll(() => playground.close());

const HEAD = 'openapi: 3.1.0\ninfo: {title: A, version: "1"}\nservers: [{url: "{{BASE}}"}]\n';
const OK = 'responses: {"200": {description: ok}}';

/** A description with one POST whose body has this schema, and these shared schemas. */
const postOf = (schema: string, schemas = '{}', head = HEAD): string =>
  `${head}paths: {/a: {post: {operationId: write, requestBody: {required: true, content: {application/json: {schema: ${schema}}}}, ${OK}}}}\ncomponents: {schemas: ${schemas}}\n`;

/** What each call sent: the method with the address, or the body as JSON. Refused calls sent nothing. */
async function sentBy(play: Play): Promise<readonly unknown[]> {
  const { job, calls } = await playground.play(play);
  expect([job.status, job.error]).toEqual(['registered', null]);
  return calls.map(({ sent: [first] }) =>
    first?.body ? JSON.parse(first.body) : first && `${first.method} ${first.url}`,
  );
}

const CAT =
  '{type: object, required: [kind], properties: {kind: {type: string}, lives: {type: integer}}}';
const DOG =
  '{type: object, required: [kind], properties: {kind: {type: string}, bark: {type: boolean}}}';

describe('a choice of forms', () => {
  test('takes what fits several of them', async () => {
    const schema =
      '{oneOf: [{type: object, properties: {v: {type: integer}}}, {type: object, properties: {v: {type: number}}}]}';
    const calls = [{ args: { body: { v: 3 } } }, { args: { body: { v: 'x' } } }];
    expect(await sentBy({ description: postOf(schema), calls })).toEqual([{ v: 3 }, undefined]);
  });

  test.each([
    [
      'by its mapping',
      'discriminator: {propertyName: kind, mapping: {c: "#/components/schemas/Cat", d: Dog}}',
      'c',
      'd',
    ],
    ['by the names of its schemas', 'discriminator: {propertyName: kind}', 'Cat', 'Dog'],
  ])('takes the form that its discriminator names, %s', async (_, discriminator, cat, dog) => {
    const schema = `{oneOf: [{$ref: "#/components/schemas/Cat"}, {$ref: "#/components/schemas/Dog"}], ${discriminator}}`;
    const calls = [
      { args: { body: { kind: cat, lives: 9 } } },
      { args: { body: { kind: dog, bark: true } } },
      { args: { body: { kind: dog, bark: 'loud' } } },
      { args: { body: { kind: 'fish' } } },
    ];
    const description = postOf(schema, `{Cat: ${CAT}, Dog: ${DOG}}`);
    expect(await sentBy({ description, calls })).toEqual([
      { kind: cat, lives: 9 },
      { kind: dog, bark: true },
      undefined,
      undefined,
    ]);
  });
});

describe('the subtypes of a schema', () => {
  const BASE =
    '{type: object, required: [kind], discriminator: {propertyName: kind, mapping: {b: B}}, properties: {kind: {type: string}}}';
  const below = (parent: string, property: string): string =>
    `{allOf: [{$ref: "#/components/schemas/${parent}"}, {type: object, properties: {${property}: {type: integer}}}]}`;
  const schemas = `{A: ${BASE}, B: ${below('A', 'x')}, C: ${below('B', 'y')}, D: {type: object, properties: {a: {$ref: "#/components/schemas/A"}}}}`;

  test('can be sent where it is asked for, over several levels', async () => {
    const calls = [
      { args: { body: { kind: 'b', x: 3 } } },
      { args: { body: { kind: 'C', x: 3, y: 4 } } },
      { args: { body: { kind: 'C', y: 'four' } } },
      { args: { body: { kind: 'other' } } },
    ];
    const description = postOf('{$ref: "#/components/schemas/A"}', schemas);
    expect(await sentBy({ description, calls })).toEqual([
      { kind: 'b', x: 3 },
      { kind: 'C', x: 3, y: 4 },
      undefined,
      { kind: 'other' },
    ]);
  });

  test('can be sent as a member of another schema', async () => {
    const calls = [
      { args: { a: { kind: 'b', x: 3 } } },
      { args: { a: { kind: 'b', x: 'three' } } },
    ];
    const description = postOf('{$ref: "#/components/schemas/D"}', schemas);
    expect(await sentBy({ description, calls })).toEqual([{ a: { kind: 'b', x: 3 } }, undefined]);
  });

  test('can be sent where Swagger 2.0 names them by their definitions', async () => {
    const description = `swagger: "2.0"
info: {title: A, version: "1"}
host: "{{HOST}}"
basePath: /{{ID}}
schemes: [http]
paths: {/a: {post: {consumes: [application/json], parameters: [{name: b, in: body, required: true, schema: {$ref: "#/definitions/A"}}], ${OK}}}}
definitions:
  A: {type: object, discriminator: kind, required: [kind], properties: {kind: {type: string}}}
  B: {allOf: [{$ref: "#/definitions/A"}, {type: object, properties: {x: {type: integer}}}]}
`;
    const calls = [{ args: { body: { kind: 'B', x: 3 } } }];
    expect(await sentBy({ description, calls })).toEqual([{ kind: 'B', x: 3 }]);
  });
});

describe('references', () => {
  test('of an operation and a path item are followed, and the members beside them count', async () => {
    const description = `${HEAD}paths:
  /a: {$ref: "#/components/pathItems/Shared", post: {operationId: add, ${OK}}}
  /b: {get: {$ref: "#/x-operations/other"}}
x-operations: {other: {operationId: other, parameters: [{name: q, in: query, schema: {type: string}}], ${OK}}}
components: {pathItems: {Shared: {get: {operationId: read, ${OK}}}}}
`;
    const calls = [{ tool: 'read' }, { tool: 'add' }, { tool: 'other', args: { q: 'x' } }];
    expect(await sentBy({ description, calls })).toEqual(['GET /a', 'POST /a', 'GET /b?q=x']);
  });

  test('of an operation to another document are refused with the reason', async () => {
    const description = `${HEAD}paths: {/a: {post: {$ref: "resources/create.yml"}}, /b: {get: {${OK}}}}\n`;
    const { job } = await playground.play({ description });
    expect(job.report.operations).toMatchObject([
      { tool: null, outcome: 'refused', reason: expect.stringContaining('outside this document') },
      { outcome: 'accepted' },
    ]);
  });

  const POINTER = '#/components/schemas/P';
  const P = '{P: {$anchor: pet, type: object, properties: {a: {type: string}}}}';
  test.each([
    ['its file name', `openapi.yaml${POINTER}`, HEAD],
    ['its address', `{{BASE}}/docs/openapi.yaml${POINTER}`, HEAD],
    [
      'its `$self`',
      `https://api.example.com/a.yaml${POINTER}`,
      `$self: https://api.example.com/a.yaml\n${HEAD}`,
    ],
    ['an anchor', '#pet', HEAD],
    ['its file name and an anchor', 'openapi.yaml#pet', HEAD],
  ])('to the document itself by %s are followed', async (_, reference, head) => {
    const description = postOf(`{$ref: "${reference}"}`, P, head.replace('3.1.0', '3.2.0'));
    const calls = [{ args: { a: '1' } }];
    expect(await sentBy({ description, calls, fetchedAt: '/docs/openapi.yaml' })).toEqual([
      { a: '1' },
    ]);
  });

  test('to a document at another address stay refused', async () => {
    const description = postOf(`{$ref: "other.yaml${POINTER}"}`, P);
    const { job } = await playground.play({ description, fetchedAt: '/docs/openapi.yaml' });
    expect(job.report.operations[0]?.reason).toContain('points outside this document');
  });
});

describe('what is read-only', () => {
  test.each([
    [
      'behind two references',
      '{type: object, required: [id, name], properties: {id: {$ref: "#/components/schemas/Key"}, name: {type: string}}}',
    ],
    [
      'behind allOf',
      '{type: object, required: [id, name], properties: {id: {allOf: [{$ref: "#/components/schemas/Id"}]}, name: {type: string}}}',
    ],
  ])('need not be given, %s', async (_, schema) => {
    const description = postOf(
      schema,
      '{Key: {$ref: "#/components/schemas/Id"}, Id: {type: string, readOnly: true}}',
    );
    expect(await sentBy({ description, calls: [{ args: { name: 'x' } }] })).toEqual([
      { name: 'x' },
    ]);
  });

  test('need not be given where another part of an allOf requires it', async () => {
    const schema =
      '{allOf: [{type: object, minProperties: 1, properties: {id: {type: string, readOnly: true}, name: {type: string}}}, {required: [id, name]}]}';
    const calls = [{ args: { body: { name: 'x' } } }, { args: { body: {} } }];
    expect(await sentBy({ description: postOf(schema), calls })).toEqual([
      { name: 'x' },
      undefined,
    ]);
  });
});

describe('YAML and JSON as people write them', () => {
  test('may merge maps, whose own members count first', async () => {
    const description = `${HEAD}x-common: &common {name: {type: string}, age: {type: string}}
x-more: &more {age: {type: boolean}, note: {type: string}}
paths:
  /a:
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema: {type: object, properties: {<<: [*common, *more], age: {type: integer}}}
      ${OK}
`;
    const calls = [{ args: { name: 'a', age: 3, note: 'n' } }];
    expect(await sentBy({ description, calls })).toEqual([{ name: 'a', age: 3, note: 'n' }]);
  });

  test('may have null for an absent member', async () => {
    const description = JSON.stringify({
      openapi: '3.0.3',
      info: { title: 'A', version: '1', description: null },
      servers: [{ url: '{{BASE}}', variables: null }],
      paths: {
        '/a': { get: null, post: { parameters: null, requestBody: null, responses: null } },
      },
      components: null,
    });
    expect(await sentBy({ description, calls: [{}] })).toEqual(['POST /a']);
  });

  test.each(['3.0', '3.1', '3.2'])('may have the version %s without quotes', async (version) => {
    const description = `openapi: ${version}\ninfo: {title: A, version: 1.0}\nservers: [{url: "{{BASE}}"}]\npaths: {/a: {get: {${OK}}}}\n`;
    expect(await sentBy({ description, calls: [{}] })).toEqual(['GET /a']);
  });
});

describe('addresses', () => {
  test('that are empty are the root of the host of the document', async () => {
    const description = `${HEAD.replace('{{BASE}}', '')}paths: {/{{ID}}/a: {get: {${OK}}}}\n`;
    const fetchedAt = '/docs/openapi.yaml';
    expect(await sentBy({ description, fetchedAt, calls: [{}] })).toEqual(['GET /a']);
  });

  test('of Swagger 2.0 may have a scheme and a path in their host', async () => {
    const description = `swagger: "2.0"\ninfo: {title: A, version: "1"}\nhost: "http://{{HOST}}/{{ID}}/"\nbasePath: /v1\nschemes: [https]\npaths: {/a: {get: {${OK}}}}\n`;
    expect(await sentBy({ description, calls: [{}] })).toEqual(['GET /v1/a']);
  });

  test('of an operation are relative to the address that the registration gives', async () => {
    const description = `${HEAD}paths: {/a: {get: {servers: [{url: /{{ID}}/other}], ${OK}}}}\n`;
    const register = { base_url: '{{BASE}}/new' };
    expect(await sentBy({ description, register, calls: [{}] })).toEqual(['GET /other/a']);
  });
});

describe('a credential', () => {
  const SCHEMES = `components:
  securitySchemes:
    id: {type: apiKey, in: header, name: X-App-Id}
    key: {type: apiKey, in: header, name: X-App-Key}
    digest: {type: http, scheme: digest}
    tls: {type: mutualTLS}
`;
  const register = {
    auth: { type: 'api_key', in: 'header', key_name: 'X-App-Key', token: 'k'.repeat(9) },
  };
  const warnings = async (security: string): Promise<readonly string[]> => {
    const description = `${HEAD}security: ${security}\npaths: {/a: {get: {summary: Read., ${OK}}}}\n${SCHEMES}`;
    const { job } = await playground.play({ description, register });
    return job.report.warnings.map(({ message }) => message);
  };

  test.each([
    ['[{id: [], key: []}]', 'header "X-App-Id" together with header "X-App-Key"'],
    ['[{digest: []}]', 'digest, which is not supported'],
    ['[{tls: []}, {id: []}]', 'mutualTLS, which is not supported, or header "X-App-Id"'],
  ])('that cannot be enough for %s is a warning', async (security, words) => {
    expect((await warnings(security)).join()).toContain(words);
  });

  test.each(['[{key: []}]', '[{id: [], key: []}, {key: []}]', '[{id: []}, {}]', '[]'])(
    'that is enough for %s is none',
    async (security) => {
      expect(await warnings(security)).toEqual([]);
    },
  );
});
