import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { RpcId } from '../../dialects/json-rpc/json-rpc.ts';
import { PROTOCOL_VERSION_KEY } from '../../dialects/mcp/shared/detect-dialect.ts';
import { withoutMark } from '../../platform/kernel/json-text.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { exchange, type GatewayConnection } from '../shared/exchange.ts';
import {
  ExchangeFailure,
  notTheGateway,
  type RpcError,
  rpcErrorOf,
  unanswered,
} from '../shared/failure.ts';

export interface BridgeDeps {
  readonly gateway: GatewayConnection;
  readonly output: LineOutput;
  /** Receives what no message can carry, for the log of the host. */
  readonly report: (text: string) => void;
}

/** Forwards the messages of a host to the gateway, and the responses back. */
export interface Bridge {
  /** Starts to process one line of the host; null stands for a line that was too long. */
  accept(line: Buffer | null): void;
  /** Closes the subscriptions, which never end by themselves. */
  endSubscriptions(): void;
  /** Resolves when every message in flight has been answered. */
  idle(): Promise<void>;
  /** Closes every connection, and resolves when that is done. */
  close(): Promise<void>;
}

export function createBridge({ gateway, output, report }: BridgeDeps): Bridge {
  const inFlight = createInFlightMessages();
  const { track, idle } = createTasks((error) => report(String(error)));
  /** The revision that `initialize` agreed on. */
  let agreedRevision: string | null = null;

  function accept(line: Buffer | null): void {
    const message = line === null ? rpcErrorOf('too_large', TOO_LONG) : decode(withoutMark(line));
    if (message === null) return;
    if ('code' in message) {
      track(writeError(null, message));
      return;
    }
    const { method, params } = message;
    if (method === 'notifications/cancelled' && inFlight.cancel(params['requestId'])) return;
    track(forward(message));
  }

  async function forward(message: HostMessage): Promise<void> {
    const entry = inFlight.add(message);
    try {
      await passResponses(entry);
      if (entry.unanswered.size > 0) throw unanswered(gateway.address, message.body.length);
    } catch (error) {
      if (!entry.closing.signal.aborted) await writeFailure(entry, error);
    } finally {
      inFlight.remove(entry);
    }
  }

  async function passResponses({ message, unanswered: open, closing }: InFlightMessage) {
    const { signal } = closing;
    const headers = headersOf(message, agreedRevision);
    for await (const text of exchange(gateway, { body: message.body, headers, signal })) {
      // Servers of 2025-11-25 start a stream with an event without data.
      if (text === '') continue;
      const responses = readResponses(text);
      if (!responses) throw notTheGateway(gateway.address);
      for (const response of responses) {
        if (message.method === 'initialize')
          agreedRevision = revisionOf(response) ?? agreedRevision;
        if (!('method' in response)) open.delete(response['id'] as RpcId);
      }
      // JSON strings contain no line breaks, so those between tokens are only white space.
      await output.write(text.replace(/[\r\n]+/g, ' '));
    }
  }

  async function writeFailure({ unanswered: open }: InFlightMessage, thrown: unknown) {
    const { error } = thrown instanceof ExchangeFailure ? thrown : unexpected(thrown);
    const message = error.message.replaceAll(gateway.key, '[redacted]');
    if (open.size === 0) report(message);
    for (const id of open) await writeError(id, { ...error, message });
  }

  const writeError = (id: RpcId, error: RpcError): Promise<void> =>
    output.write(JSON.stringify({ jsonrpc: '2.0', id, error }));

  return {
    accept,
    idle,
    endSubscriptions: () => inFlight.abort('subscriptions/listen'),
    close: async () => {
      inFlight.abort();
      await idle();
    },
  };
}

/** Largest message of a host. No tool accepts arguments of this size, and the gateway no such body. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

const TOO_LONG = 'The message is larger than 8 MiB. Send less in one message.';

/** The message on a line, or the error to write for the line; null for an empty line. */
function decode(line: Buffer): HostMessage | RpcError | null {
  try {
    return readMessage(line);
  } catch {
    if (line.toString('latin1').trim() === '') return null;
    return rpcErrorOf(
      'unreadable_request',
      'The line is not JSON. Write one JSON-RPC message per line.',
    );
  }
}

const unexpected = (thrown: unknown): ExchangeFailure =>
  new ExchangeFailure(rpcErrorOf('internal', `The bridge failed: ${String(thrown)}`));

/** The messages of a response body: several for a batch. Null for a body that is not JSON-RPC. */
function readResponses(text: string): Record<string, unknown>[] | null {
  try {
    const responses = [JSON.parse(text)].flat().filter(isObject);
    const isJsonRpc = responses.length > 0 && responses.every(({ jsonrpc }) => jsonrpc === '2.0');
    return isJsonRpc ? responses : null;
  } catch {
    return null;
  }
}

/** The revision that a response to `initialize` agrees on. */
function revisionOf({ result }: Record<string, unknown>): string | null {
  const revision = isObject(result) ? result['protocolVersion'] : undefined;
  return typeof revision === 'string' ? revision : null;
}

/** Work in progress that nothing awaits. */
interface Tasks {
  track(task: Promise<void>): void;
  /** Resolves when no work is left. */
  idle(): Promise<void>;
}

function createTasks(onError: (error: unknown) => void): Tasks {
  const tasks = new Set<Promise<void>>();
  return {
    track(task) {
      const done = task.catch(onError).finally(() => tasks.delete(done));
      tasks.add(done);
    },
    async idle() {
      while (tasks.size > 0) await Promise.all(tasks);
    },
  };
}

/**
 * The headers that describe a message. MCP 2026-07-28, "Streamable HTTP", requires the method and the tool name as
 * headers; earlier revisions require the revision that `initialize` agreed on.
 */
function headersOf(
  { revision, method, params }: HostMessage,
  agreedRevision: string | null,
): Record<string, string> {
  if (revision === null) return agreedRevision ? { 'mcp-protocol-version': agreedRevision } : {};
  const name = params['name'];
  return {
    'mcp-protocol-version': encodeHeaderValue(revision),
    ...(method === null ? {} : { 'mcp-method': encodeHeaderValue(method) }),
    ...(method === 'tools/call' && typeof name === 'string'
      ? { 'mcp-name': encodeHeaderValue(name) }
      : {}),
  };
}

const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/;
const LOOKS_ENCODED = /^=\?base64\?.*\?=$/;

/** "Value Encoding" of the same page: encodes what a header cannot carry, and what would be read as encoded. */
function encodeHeaderValue(text: string): string {
  if (PLAIN.test(text) && !LOOKS_ENCODED.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** What a host wrote on one line, as far as the bridge needs to know it. */
interface HostMessage {
  /** The bytes of the line, which are sent to the gateway unchanged. */
  readonly body: Buffer;
  /** The ids that need a response: several in a batch, none in a notification. */
  readonly ids: readonly RpcId[];
  /** Null for a batch and for JSON that is not JSON-RPC. */
  readonly method: string | null;
  readonly params: Readonly<Record<string, unknown>>;
  /** The revision that a stateless request (2026-07-28) names in its `_meta`. */
  readonly revision: string | null;
}

/** Throws for a line that is not JSON. The gateway decides whether it is JSON-RPC. */
function readMessage(body: Buffer): HostMessage {
  const value: unknown = JSON.parse(body.toString('utf8'));
  const batch = Array.isArray(value) ? value : [value];
  const single = isObject(value) ? value : {};
  const method = single['method'];
  const params = isObject(single['params']) ? single['params'] : {};
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const revision = meta[PROTOCOL_VERSION_KEY];
  return {
    body,
    ids: batch.flatMap(idOf),
    method: typeof method === 'string' ? method : null,
    params,
    revision: typeof revision === 'string' ? revision : null,
  };
}

/** The id of the response to an element: null for one that is not JSON-RPC, none if it needs no response. */
function idOf(value: unknown): RpcId[] {
  if (!isObject(value)) return [null];
  const { id, method, result, error } = value;
  const isResponse = method === undefined && (result !== undefined || error !== undefined);
  const isNotification = typeof method === 'string' && id === undefined;
  if (isResponse || isNotification) return [];
  return [typeof id === 'string' || typeof id === 'number' ? id : null];
}

/** A message that the gateway has not answered in full. */
interface InFlightMessage {
  readonly message: HostMessage;
  readonly unanswered: Set<RpcId>;
  /** Closes the connection to the gateway. */
  readonly closing: AbortController;
}

/** The messages that the gateway has not answered in full. */
function createInFlightMessages() {
  const entries = new Set<InFlightMessage>();
  return {
    add(message: HostMessage): InFlightMessage {
      const unanswered = new Set(message.ids);
      const entry = { message, unanswered, closing: new AbortController() };
      entries.add(entry);
      return entry;
    },
    remove: (entry: InFlightMessage) => void entries.delete(entry),
    /**
     * Closes the connection of a request. True if that cancels it: a request of 2026-07-28 is cancelled by closing its
     * connection, an earlier one by a notification to the gateway.
     */
    cancel(id: unknown): boolean {
      for (const { message, closing } of entries) {
        if (message.ids.length !== 1 || message.ids[0] !== id) continue;
        closing.abort();
        return message.revision !== null;
      }
      return false;
    },
    /** Closes the connections of this method, or all of them. */
    abort(method?: string): void {
      for (const { message, closing } of entries) {
        if (method === undefined || message.method === method) closing.abort();
      }
    },
  };
}

/** Messages for the host, one per line. */
export interface LineOutput {
  /** Resolves when the host can accept more. */
  write(line: string): Promise<void>;
  /** Resolves at once unless the host is slow to read earlier lines. */
  ready(): Promise<void>;
}

export function createLineOutput(stream: Writable): LineOutput {
  let drained: Promise<unknown> | null = null;

  async function ready(): Promise<void> {
    while (drained) await drained;
  }

  return {
    ready,
    write: async (line) => {
      await ready();
      if (stream.write(`${line}\n`)) return;
      drained = once(stream, 'drain').finally(() => {
        drained = null;
      });
      await drained;
    },
  };
}
