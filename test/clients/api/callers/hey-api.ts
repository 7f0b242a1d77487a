import { createClient } from './gateway/client/index.js';
import {
  callFrankfurterRates,
  type JsonRpcResponse,
  listTools,
  sendJsonRpc,
} from './gateway/index.js';

const { GATEWAY = '', KEY = '' } = process.env;
const client = createClient({ baseUrl: GATEWAY, auth: () => KEY });
const REQUEST = { jsonrpc: '2.0', id: 1, method: 'tools/call' } as const;

const sent = await sendJsonRpc({
  client,
  body: { ...REQUEST, params: { name: 'frankfurter_rates', arguments: { base: 'EUR' } } },
});
// The response to a notification is empty, so this generator takes any.
const data = sent.data as JsonRpcResponse | undefined;
const outcome = data?.result && 'outcome' in data.result ? data.result.outcome : undefined;
const checked: 'ok' | 'no_data' | 'failed' | undefined = outcome;

const tools = await listTools({ client, query: { q: 'weather', limit: 2 } });
const category: string | undefined = tools.data?.tools[0]?.category;

const refused = await listTools({ client, query: { category: 'finance' } });
const name: string | undefined = refused.error?.error;
console.log(JSON.stringify([checked, category, name]));

export const wrong = () =>
  callFrankfurterRates({
    client,
    body: {
      ...REQUEST,
      // @ts-expect-error The argument is a string.
      params: { name: 'frankfurter_rates', arguments: { base: 5 } },
    },
  });
