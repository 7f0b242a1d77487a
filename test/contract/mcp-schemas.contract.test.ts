import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { sendRaw } from '../support/raw-request.ts';
import { ACCEPTS_EVENTS, rpc, toolCall } from '../support/rpc-requests.ts';
import {
  anthropicIssues,
  geminiIssues,
  hostIssues,
  openAiIssues,
  type Schema,
} from '../support/schema-rules.ts';
import { verifies } from './requirements.ts';

/** An API as people describe them, and no model API takes it. */
const NASTY_PRESET = `openapi: 3.1.0
info: { title: Nasty, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
paths:
  /nasty:
    post:
      operationId: nasty_post
      x-cache-ttl: 0
      description: All that is refused somewhere.
      parameters:
        - { name: size, in: query, schema: { type: [integer, "null", string] } }
        - { name: tags, in: query, schema: { type: array } }
        - { name: unit, in: query, schema: { type: integer, enum: [1, 2, 2] } }
        - { name: day, in: query, schema: { type: string, format: date } }
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                filter: { type: object, additionalProperties: { type: integer } }
                node: { $ref: "#/components/schemas/Node" }
                shape:
                  oneOf:
                    - { type: object, properties: { kind: { const: circle }, r: { type: number } }, required: [kind] }
                    - { type: object, properties: { kind: { const: square }, "@id": {} }, required: [kind] }
      responses: { "200": { description: Yes. } }
components:
  schemas:
    Node:
      type: object
      properties:
        name: { type: string }
        next: { $ref: "#/components/schemas/Node" }
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { RATE_LIMIT_PER_MINUTE: '0' },
    presets: { nasty: NASTY_PRESET },
  });
});
afterAll(() => gateway.close());

interface ListedTool {
  readonly name: string;
  readonly inputSchema: Schema;
}

const send = (path: string, body: unknown, key = gateway.key) =>
  sendRaw(gateway.url, {
    path,
    headers: { 'content-type': 'application/json', 'x-api-key': key, ...ACCEPTS_EVENTS },
    body,
  });

async function listed(path: string, key?: string): Promise<readonly ListedTool[]> {
  const { json } = await send(path, rpc('tools/list'), key);
  return json.result.tools;
}

const RULES = { geminiIssues, openAiIssues, anthropicIssues, hostIssues };

test(verifies('mcp.schema.published'), async () => {
  const operator = await gateway.createKey('default', { scope: 'operator' });
  const tools = [
    ...(await listed('/mcp')),
    ...(await listed('/mcp?mode=search')),
    ...(await listed('/mcp?mode=manage', operator.key)),
  ];
  expect(tools.length).toBeGreaterThan(100);
  const broken = tools.flatMap(({ name, inputSchema }) =>
    Object.entries(RULES).flatMap(([rule, issuesOf]) =>
      issuesOf(inputSchema).map((issue) => `${name} by ${rule}: ${issue}`),
    ),
  );
  expect(broken).toEqual([]);
});

test(verifies('mcp.schema.texts'), async () => {
  gateway.upstream.answer(({ body }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  const args = { node: { name: 'a', next: '{"name":"b"}' }, filter: '{"a":1}', tags: '["x","y"]' };
  const { json } = await send('/mcp', toolCall('nasty_post', args));
  expect(json.result.data).toEqual({
    node: { name: 'a', next: { name: 'b' } },
    filter: { a: 1 },
  });
});

test(verifies('mcp.schema.wide'), async () => {
  const wide = (await listed('/mcp?schema=wide')).find(({ name }) => name === 'nasty_post');
  expect(wide?.inputSchema).toMatchObject({
    properties: {
      filter: { type: ['object', 'string'], additionalProperties: { type: 'integer' } },
      tags: { type: ['array', 'string'] },
      unit: { enum: [1, 2, 2] },
    },
    additionalProperties: false,
  });
  const unknown = await send('/mcp?schema=narrow', rpc('tools/list'));
  expect(unknown.status).toBe(400);
  expect(unknown.json.error.message).toContain('Choose wide');
});
