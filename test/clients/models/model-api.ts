import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  anthropicIssues,
  geminiIssues,
  geminiJsonIssues,
  openAiIssues,
  openAiStrictIssues,
  type Schema,
} from '../../support/schema-rules.ts';

/** A tool that the model calls, once. */
export interface ScriptedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A tool as an SDK declares it to a model API, and what is wrong with it by the rules of that API. */
interface Declaration {
  readonly name: string;
  readonly issues: readonly string[];
}

/** The request of an SDK, as far as it differs between the APIs of models. */
interface ModelApi {
  /** Whether a path is that of this API. */
  readonly serves: (path: string) => boolean;
  readonly declarations: (request: Schema) => readonly Declaration[];
  readonly call: (call: ScriptedCall) => object;
  readonly text: string | object;
}

const USAGE = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

const listOf = (value: unknown): Schema[] => (Array.isArray(value) ? value : []);
const schemaOf = (value: unknown): Schema => value as Schema;

const geminiResponse = (part: object): object => ({
  candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
});

const GEMINI: ModelApi = {
  serves: (path) => path.includes(':generateContent'),
  declarations: ({ tools }) =>
    listOf(tools)
      .flatMap(({ functionDeclarations }) => listOf(functionDeclarations))
      .map(({ name, parameters, parametersJsonSchema: json }) => ({
        name: String(name),
        issues: [
          ...(parameters === undefined ? [] : geminiIssues(schemaOf(parameters))),
          ...(json === undefined ? [] : geminiJsonIssues(schemaOf(json))),
        ],
      })),
  call: ({ name, arguments: args }) => geminiResponse({ functionCall: { name, args } }),
  text: geminiResponse({ text: 'Done.' }),
};

const openAiResponse = (item: object): object => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'scripted',
  output: [{ status: 'completed', ...item }],
  parallel_tool_calls: true,
  tools: [],
  usage: {
    ...USAGE,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
});

const OPENAI: ModelApi = {
  serves: (path) => path.endsWith('/responses'),
  declarations: ({ tools }) =>
    listOf(tools).map(({ name, parameters, strict }) => ({
      name: String(name),
      issues:
        strict === true
          ? openAiStrictIssues(schemaOf(parameters))
          : openAiIssues(schemaOf(parameters)),
    })),
  call: ({ name, arguments: args }) =>
    openAiResponse({
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      name,
      arguments: JSON.stringify(args),
    }),
  text: openAiResponse({
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
  }),
};

const anthropicResponse = (block: object, reason: string): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'scripted',
  content: [block],
  stop_reason: reason,
  stop_sequence: null,
  usage: USAGE,
});

const ANTHROPIC: ModelApi = {
  serves: (path) => path.endsWith('/messages'),
  declarations: ({ tools }) =>
    listOf(tools).map(({ name, input_schema: schema }) => ({
      name: String(name),
      issues: anthropicIssues(schemaOf(schema)),
    })),
  call: ({ name, arguments: args }) =>
    anthropicResponse({ type: 'tool_use', id: 'toolu_1', name, input: args }, 'tool_use'),
  text: anthropicResponse({ type: 'text', text: 'Done.' }, 'end_turn'),
};

const APIS: readonly ModelApi[] = [GEMINI, OPENAI, ANTHROPIC];

/** A stand-in for the APIs of models. */
export interface ModelServer {
  readonly url: string;
  /** The declarations of the first request. */
  declared(): readonly Declaration[];
  /** The last request as it was sent. */
  lastRequest(): string;
  close(): Promise<void>;
}

/** Starts a stand-in that calls a tool in its first answer, and ends in all others. */
export async function startModelServer(call: ScriptedCall): Promise<ModelServer> {
  const requests: Schema[] = [];
  let declared: readonly Declaration[] = [];
  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://model');
    const api = APIS.find(({ serves }) => serves(pathname));
    const request = schemaOf(await json(incoming));
    if (requests.push(request) === 1) declared = api?.declarations(request) ?? [];
    response.writeHead(api ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(requests.length === 1 ? api?.call(call) : api?.text));
  };
  const server = createServer((incoming, response) => {
    respond(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    declared: () => declared,
    lastRequest: () => JSON.stringify(requests.at(-1)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
