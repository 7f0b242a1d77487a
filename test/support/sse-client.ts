import { type IncomingMessage, request } from 'node:http';
import { until } from './until.ts';

export interface SseEvent {
  readonly name: string;
  readonly data: string;
}

/** A reader of one event stream, independent of the gateway's own framing code. */
export interface SseClient {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly events: SseEvent[];
  readonly comments: string[];
  readonly clientId: string;
  ended(): boolean;
  close(): void;
}

/** Opens `/mcp/sse` and waits for `ready` (or for a refusal). */
export async function openSse(url: string, key: string): Promise<SseClient> {
  const events: SseEvent[] = [];
  const comments: string[] = [];
  let ended = false;
  const outgoing = request(`${url}/mcp/sse`, {
    headers: { 'x-api-key': key, accept: 'text/event-stream' },
  });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject).end();
  });
  let rest = '';
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) readBlock(block, events, comments);
  });
  for (const name of ['end', 'close', 'error'] as const) {
    answer.on(name, () => {
      ended = true;
    });
  }
  if (answer.statusCode === 200) await until(() => events.length > 0 || ended);
  const ready = events[0]?.name === 'ready' ? JSON.parse(events[0].data) : {};
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    events,
    comments,
    clientId: String(ready.clientId),
    ended: () => ended,
    close: () => outgoing.destroy(),
  };
}

function readBlock(block: string, events: SseEvent[], comments: string[]): void {
  const lines = block.split('\n');
  const field = (name: string): string[] =>
    lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
  const data = field('data');
  if (data.length > 0) events.push({ name: field('event')[0] ?? 'message', data: data.join('\n') });
  else comments.push(...lines.filter((line) => line.startsWith(':')));
}
