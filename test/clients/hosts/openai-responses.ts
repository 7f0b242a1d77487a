import { type ModelWire, SERVER, type Turn } from './model-wire.ts';

/** Codex puts the tools of an MCP server into a namespace. */
const NAMESPACE = `mcp__${SERVER.replaceAll('-', '_')}`;

interface ResponsesRequest {
  readonly tools: readonly {
    readonly name?: string;
    readonly tools?: readonly { readonly name: string }[];
  }[];
  readonly input: readonly {
    readonly type: string;
    readonly output?: string | readonly { readonly text?: string }[];
  }[];
}

/** The Responses API of OpenAI, as Codex uses it. */
export const OPENAI_RESPONSES: ModelWire = {
  path: '/v1/responses',
  encode: (turn, number) => [
    { type: 'response.created', response: { id: `resp_${number}` } },
    { type: 'response.output_item.done', item: itemOf(turn, number) },
    { type: 'response.completed', response: { id: `resp_${number}`, usage: USAGE } },
  ],
  offered: (request) =>
    (request as ResponsesRequest).tools
      .filter(({ name }) => name === NAMESPACE)
      .flatMap(({ tools = [] }) => tools.map(({ name }) => name)),
  shown: (request) =>
    (request as ResponsesRequest).input
      .filter(({ type }) => type === 'function_call_output')
      .map(({ output = [] }) =>
        typeof output === 'string' ? [output] : output.map(({ text = '' }) => text),
      ),
};

const USAGE = {
  input_tokens: 1,
  input_tokens_details: null,
  output_tokens: 1,
  output_tokens_details: null,
  total_tokens: 2,
};

const itemOf = (turn: Turn, number: number): object =>
  'text' in turn
    ? {
        type: 'message',
        id: `msg_${number}`,
        role: 'assistant',
        content: [{ type: 'output_text', text: turn.text }],
      }
    : {
        type: 'function_call',
        id: `fc_${number}`,
        call_id: `call_${number}`,
        namespace: NAMESPACE,
        name: turn.tool,
        arguments: JSON.stringify(turn.arguments),
      };
