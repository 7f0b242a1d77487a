import type { RpcId } from '../../dialects/json-rpc/json-rpc.ts';
import { exchange, type GatewayConnection } from './exchange.ts';
import {
  ExchangeFailure,
  notTheGateway,
  type RpcError,
  rpcErrorOf,
  unanswered,
} from './failure.ts';
import { headersOf } from './headers.ts';
import { createInFlightMessages, type InFlightMessage } from './in-flight.ts';
import { type HostMessage, readMessage } from './message.ts';
import type { LineOutput } from './output.ts';
import { readResponses, revisionOf } from './response.ts';
import { createTasks } from './tasks.ts';

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
    const message = line === null ? rpcErrorOf('too_large', TOO_LONG) : decode(line);
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
