import type { Caller } from '../access/keys/caller.ts';
import { mayUse } from '../tools/catalog/tool-policy.ts';
import type { ClientStream } from './client-stream.ts';
import { type EventStreamOptions, openEventStream } from './event-stream.ts';
import type { ResponseStream } from './response-stream.ts';
import { encodeSseEvent, TOOLS_CHANGED } from './sse-event.ts';

export interface SseStreamOptions extends EventStreamOptions {
  readonly clientId: string;
  /** Whose stream it is, and what its address narrows it to. */
  readonly caller: Pick<Caller, 'tenantId' | 'apiKeyId' | 'allowedTools' | 'narrowing'>;
  /** What follows `sessionId` in the address for messages: parameters that narrow the tools, each with its `&`. */
  readonly endpointQuery?: string;
}

/** Takes a response over as a client stream and sends `ready` and `endpoint` (docs/contract.md#server-sent-events). */
export function createSseStream(response: ResponseStream, options: SseStreamOptions): ClientStream {
  const { clientId, endpointQuery = '' } = options;
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
  stream.write(encodeSseEvent('endpoint', `/mcp?sessionId=${clientId}${endpointQuery}`));

  return {
    clientId,
    tenantId: caller.tenantId,
    apiKeyId: caller.apiKeyId,
    closed: closing.signal,
    send: ({ name, data }) => stream.write(encodeSseEvent(name, data)),
    reply: (pieces) => {
      isSession = true;
      return stream.reply(pieces);
    },
    mayUse: (tool) => mayUse(caller, tool),
    toolsChanged: (allowedTools) => {
      caller = { ...caller, allowedTools };
      // Whoever watches events has asked for no such message.
      if (isSession) stream.write(encodeSseEvent('message', TOOLS_CHANGED));
    },
    end: () => stream.end(),
  };
}
