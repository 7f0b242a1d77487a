import createClient from 'openapi-fetch';
import type { paths } from './gateway.js';

const { GATEWAY = '', KEY = '' } = process.env;
const gateway = createClient<paths>({ baseUrl: GATEWAY, headers: { 'x-api-key': KEY } });
const REQUEST = { jsonrpc: '2.0', id: 1, method: 'tools/call' } as const;

const { data } = await gateway.POST('/mcp', {
  body: { ...REQUEST, params: { name: 'frankfurter_rates', arguments: { base: 'EUR' } } },
});
const outcome = data?.result && 'outcome' in data.result ? data.result.outcome : undefined;
const checked: 'ok' | 'no_data' | 'failed' | undefined = outcome;

const tools = await gateway.GET('/api/v1/tools', { params: { query: { q: 'weather', limit: 2 } } });
const category: string | undefined = tools.data?.tools[0]?.category;

const refused = await gateway.GET('/api/v1/tools', {
  params: { query: { category: 'finance' } },
});
const name: string | undefined = refused.error?.error;
console.log(JSON.stringify([checked, category, name]));

export const wrong = () =>
  gateway.POST('/mcp#frankfurter_rates', {
    body: {
      ...REQUEST,
      // @ts-expect-error The argument is a string.
      params: { name: 'frankfurter_rates', arguments: { base: 5 } },
    },
  });
