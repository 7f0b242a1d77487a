import type { Caller } from '../platform/kernel/caller.ts';
import { mayUse } from '../platform/kernel/tool-policy.ts';
import {
  type EventStreamOptions,
  encodeSseEvent,
  openEventStream,
  type ResponseStream,
  TOOLS_CHANGED,
} from './event-stream.ts';
import type { ClientStream } from './stream-hub.ts';

export interface SseStreamOptions extends EventStreamOptions {
  readonly clientId: string;
  /** The owner of the stream, narrowed by its address. */
  readonly caller: Caller;
  /** The address for the messages of this client, relative to the address of the stream. */
  readonly endpoint: string;
}

/** Turns a response into a client stream and sends `ready` and `endpoint` (docs/contract.md#server-sent-events). */
export function createSseStream(response: ResponseStream, options: SseStreamOptions): ClientStream {
  const { clientId, endpoint } = options;
  let { caller } = options;
  const closing = new AbortController();
  let isSession = false;
  const stream = openEventStream(response, {
    ...options,
    onClose: () => {
      closing.abort();
      options.onClose();
    },
  });
  stream.write(encodeSseEvent('ready', JSON.stringify({ ok: true, clientId })));
  stream.write(encodeSseEvent('endpoint', endpoint));

  function announceChange(): void {
    // A client that only listens to events is not an MCP client.
    if (isSession) stream.write(encodeSseEvent('message', TOOLS_CHANGED));
  }

  return {
    clientId,
    tenantId: caller.tenantId,
    apiKeyId: caller.apiKeyId,
    isOperator: caller.authority?.scope === 'operator',
    closed: closing.signal,
    send: stream.write,
    reply: (pieces) => {
      isSession = true;
      return stream.reply(pieces);
    },
    mayUse: (tool) => mayUse(caller, tool),
    toolsChanged: (allowedTools) => {
      caller = { ...caller, allowedTools };
      announceChange();
    },
    listChanged: announceChange,
    end: () => stream.end(),
  };
}
