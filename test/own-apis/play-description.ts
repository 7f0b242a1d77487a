import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { sendJson } from './register-api.ts';

/** A request as the upstream received it. `url` is what follows the address of the API. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What one registration came to, and what its calls sent. */
export interface Played {
  readonly job: {
    readonly status: string;
    readonly error: { readonly message: string } | null;
    readonly report: {
      readonly operations: readonly {
        readonly tool: string | null;
        readonly outcome: string;
        readonly reason: string | null;
      }[];
      readonly warnings: readonly { readonly message: string }[];
    };
  };
  readonly calls: readonly {
    readonly sent: readonly SentRequest[];
    /** The result or the error of JSON-RPC. */
    readonly reply: Readonly<Record<string, unknown>>;
  }[];
}

export interface Play {
  /** The description; `{{BASE}}` stands for the address of the API, `{{HOST}}` for its host and port. */
  readonly description: string;
  /** Where the description is fetched, below the address of the API; it is sent with the request if absent. */
  readonly fetchedAt?: string;
  /** Further members of the request. */
  readonly register?: Readonly<Record<string, unknown>>;
  /** The arguments of each call; of the first tool, unless `tool` names another one. */
  readonly calls?: readonly { readonly tool?: string; readonly args?: unknown }[];
}

/** A gateway and an upstream for descriptions as people write them: each is registered, called, and deleted again. */
export async function openPlayground() {
  const sent = new Map<string, SentRequest[]>();
  const documents = new Map<string, string>();
  const upstream = await listen((id, request) => {
    const document = documents.get(`${id}${request.url}`);
    if (document !== undefined) return document;
    sent.get(id)?.push(request);
    return '{"ok":true}';
  });
  const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const env = { ALLOW_PRIVATE_UPSTREAMS: 'true', RATE_LIMIT_PER_MINUTE: '0' };
  const gateway = await startTestGateway({ env });
  const { key } = await gateway.createKey('people');
  let number = 0;
  return {
    async play({ description, fetchedAt, register, calls = [] }: Play): Promise<Played> {
      const id = `a${++number}`;
      const base = `http://${host}/${id}`;
      const fill = (text: string): string =>
        text.replaceAll('{{BASE}}', base).replaceAll('{{HOST}}', host).replaceAll('{{ID}}', id);
      const document = fill(description);
      if (fetchedAt) documents.set(`${id}${fetchedAt}`, document);
      const requests: SentRequest[] = [];
      sent.set(id, requests);
      const job = await registered(gateway, key, {
        name: `API ${id}`,
        ...(fetchedAt ? { spec_url: base + fetchedAt } : { spec_raw: document }),
        ...JSON.parse(fill(JSON.stringify(register ?? {}))),
      });
      const tool = job.report?.operations.find((each: { tool: unknown }) => each.tool)?.tool;
      const played = [];
      for (const call of calls) {
        const params = { name: call.tool ?? tool, arguments: call.args ?? {} };
        const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
        const { body } = await sendJson(gateway, 'POST', '/mcp', key, message);
        played.push({ sent: requests.splice(0), reply: body.result ?? body.error });
      }
      const [toolId] = job.toolIds ?? [];
      if (toolId) await sendJson(gateway, 'DELETE', `/api/v1/tools/${toolId}`, key, undefined);
      return { job, calls: played };
    },
    async close(): Promise<void> {
      await gateway.close();
      upstream.closeAllConnections();
      upstream.close();
    },
  };
}

async function registered(gateway: TestGateway, key: string, request: object) {
  const { body } = await sendJson(gateway, 'POST', '/api/v1/register', key, request);
  let job = body;
  if (body.status_url === undefined) return job;
  await until(async () => {
    job = (await gateway.json(body.status_url, { key })).body;
    return job.progress === 1;
  });
  return job;
}

function listen(answer: (id: string, request: SentRequest) => string): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [, id = '', url = ''] = /^\/(\w+)(.*)$/.exec(request.url ?? '') ?? [];
      const { method = '', headers } = request;
      const text = answer(id, { method, url, headers, body: Buffer.concat(chunks).toString() });
      response.setHeader('content-type', 'application/json').end(text);
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
