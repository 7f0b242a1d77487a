import { type ModelWire, SERVER, type Turn, type WireEvent } from './model-wire.ts';

/** Claude Code adds this to the names of tools. */
const PREFIX = `mcp__${SERVER}__`;

interface ToolResultBlock {
  readonly type: string;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[];
}

interface MessagesRequest {
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly content: string | readonly ToolResultBlock[] }[];
}

/** The Messages API of Anthropic, as Claude Code uses it. */
export const ANTHROPIC_MESSAGES: ModelWire = {
  path: '/v1/messages',
  encode: (turn, number) => [
    { type: 'message_start', message: messageOf(number) },
    ...blockOf(turn, number),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'text' in turn ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ],
  offered: (request) =>
    ((request as MessagesRequest).tools ?? [])
      .map(({ name }) => name)
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => name.slice(PREFIX.length)),
  shown: (request) =>
    (request as MessagesRequest).messages
      .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content = [] }) =>
        typeof content === 'string' ? [content] : content.map(({ text = '' }) => text),
      ),
};

const messageOf = (number: number): object => ({
  id: `msg_${number}`,
  type: 'message',
  role: 'assistant',
  model: 'scripted',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

function blockOf(turn: Turn, number: number): WireEvent[] {
  const [block, delta] =
    'text' in turn
      ? [
          { type: 'text', text: '' },
          { type: 'text_delta', text: turn.text },
        ]
      : [
          { type: 'tool_use', id: `toolu_${number}`, name: `${PREFIX}${turn.tool}`, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(turn.arguments) },
        ];
  return [
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
  ];
}
