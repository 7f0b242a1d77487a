import { expect, it } from 'vitest';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { compileDocument } from '../../tools/compile/compile-document.ts';
import { PRESET } from '../../tools/compile/compile-policy.ts';
import { parseDocument } from '../../tools/document/parse-document.ts';
import { presetOf } from './preset-from-registration.ts';

const parameter = (name: string) => ({ name, in: 'query', type: 'string', required: true });
const DOCUMENT = {
  swagger: '2.0',
  info: { title: 'Things', version: '1' },
  host: 'apis.data.go.kr/1',
  paths: {
    '/a': {
      get: { operationId: 'a', summary: 'A', responses: { 200: { description: '' } } },
      parameters: [parameter('serviceKey '), parameter('area')],
    },
    '/b': { get: { operationId: 'b', summary: 'B', responses: { 200: { description: '' } } } },
  },
  swaggerOprtinVOs: [],
};

it('is a preset that compiles, with the key as a secret of the gateway', async () => {
  const extensions = [
    { operation: null, extension: 'x-public-data', value: true },
    {
      operation: null,
      extension: 'x-dataset',
      value: 'https://www.data.go.kr/data/15000001/openapi.do',
    },
    { operation: null, extension: 'x-quota', value: { calls: 1000 } },
    { operation: 'GET /a', extension: 'x-credential', value: 'serviceKey' },
    { operation: 'GET /a', extension: 'x-items', value: '/response/body/items/item' },
    { operation: 'GET /a', extension: 'x-code-kind', value: { area: 'district' } },
    { operation: 'GET /a', extension: 'x-tool-name', value: 'things_a' },
    { operation: 'GET /b', extension: 'x-exclude', value: true },
  ];
  const options = { baseUrl: 'https://things.example', include: null, exclude: [], extensions };
  const text = await presetOf(Buffer.from(JSON.stringify(DOCUMENT)), {
    name: 'Things',
    scheme: { type: 'none' },
    options,
  });
  expect(text).not.toContain('swaggerOprtinVOs');
  const parsed = await parseDocument(text, 'things.yaml');
  const { api } = compileDocument(parsed, { domain: PUBLIC_DATA_TOOLS, policy: PRESET });
  expect(api.tools).toMatchObject([
    {
      name: 'things_a',
      baseUrl: 'https://things.example',
      secrets: ['PUBLIC_DATA_SERVICE_KEY'],
      quota: { calls: 1000 },
      source: { datasetId: '15000001' },
      payload: { items: '/response/body/items/item' },
      inputSchema: { properties: { area: {} } },
      parameters: [{ source: { codeKind: 'district' } }, {}],
    },
  ]);
  expect(api.tools[0]?.inputSchema['properties']).not.toHaveProperty('serviceKey');
});
