import { isObject, type RpcId } from '../../dialects/json-rpc/json-rpc.ts';
import { exchange, type GatewayConnection } from './exchange.ts';
import {
  ExchangeFailure,
  notTheGateway,
  type RpcError,
  rpcErrorOf,
  unanswered,
} from './failure.ts';
import { headersOf } from './headers.ts';
import { type HostMessage, readMessage } from './message.ts';
import type { LineOutput } from './output.ts';

export interface BridgeDeps {
  readonly gateway: GatewayConnection;
  readonly output: LineOutput;
  /** Takes what no message can say, for the log of the host. */
  readonly report: (text: string) => void;
}

/** Passes the messages of a host on to the gateway, and the answers back. */
export interface Bridge {
  /** Begins with one line of the host; null stands for one that was too long. */
  accept(line: Buffer | null): void;
  /** Closes the subscriptions, which never end by themselves. */
  endSubscriptions(): void;
  /** Resolves when every message under way has been answered. */
  idle(): Promise<void>;
  /** Closes every connection, and resolves when that is done. */
  close(): Promise<void>;
}

/** A message that the gateway has not answered in full. */
interface UnderWay {
  readonly message: HostMessage;
  readonly unanswered: Set<RpcId>;
  readonly closing: AbortController;
}

export function createBridge({ gateway, output, report }: BridgeDeps): Bridge {
  const underWay = new Set<UnderWay>();
  const work = new Set<Promise<void>>();
  /** What `initialize` agreed upon. */
  let agreedRevision: string | null = null;

  function accept(line: Buffer | null): void {
    const message = line === null ? rpcErrorOf('too_large', TOO_LONG) : decode(line);
    if (message === null) return;
    if ('code' in message) {
      track(answerError(null, message));
      return;
    }
    if (message.method === 'notifications/cancelled' && cancel(message.params['requestId'])) return;
    track(forward(message));
  }

  /** Whether that was all: a request that stands alone is cancelled by closing its connection, others by being told. */
  function cancel(id: unknown): boolean {
    for (const { message, closing } of underWay) {
      if (message.ids.length !== 1 || message.ids[0] !== id) continue;
      closing.abort();
      return message.revision !== null;
    }
    return false;
  }

  async function forward(message: HostMessage): Promise<void> {
    const entry = { message, unanswered: new Set(message.ids), closing: new AbortController() };
    underWay.add(entry);
    try {
      await passAnswers(entry);
      if (entry.unanswered.size > 0) throw unanswered(gateway.address, message.body.length);
    } catch (error) {
      if (!entry.closing.signal.aborted) await answerFailure(entry, error);
    } finally {
      underWay.delete(entry);
    }
  }

  async function passAnswers({ message, unanswered: open, closing }: UnderWay): Promise<void> {
    const { signal } = closing;
    const headers = headersOf(message, agreedRevision);
    for await (const text of exchange(gateway, { body: message.body, headers, signal })) {
      // Servers of 2025-11-25 begin a stream with an event without data.
      if (text === '') continue;
      const answers = readAnswers(text);
      if (!answers) throw notTheGateway(gateway.address);
      for (const answer of answers) {
        if (message.method === 'initialize') agreedRevision = revisionOf(answer) ?? agreedRevision;
        if (!('method' in answer)) open.delete(answer['id'] as RpcId);
      }
      // Outside of strings, where JSON has no line ends, they mean nothing.
      await output.write(text.replace(/[\r\n]+/g, ' '));
    }
  }

  async function answerFailure({ unanswered: open }: UnderWay, thrown: unknown): Promise<void> {
    const { error } = thrown instanceof ExchangeFailure ? thrown : unexpected(thrown);
    const message = error.message.replaceAll(gateway.key, '[redacted]');
    if (open.size === 0) report(message);
    for (const id of open) await answerError(id, { ...error, message });
  }

  const answerError = (id: RpcId, error: RpcError): Promise<void> =>
    output.write(JSON.stringify({ jsonrpc: '2.0', id, error }));

  function track(task: Promise<void>): void {
    const done = task
      .catch((error: unknown) => report(String(error)))
      .finally(() => work.delete(done));
    work.add(done);
  }

  async function idle(): Promise<void> {
    while (work.size > 0) await Promise.all(work);
  }

  return {
    accept,
    idle,
    endSubscriptions: () => {
      for (const { message, closing } of underWay) {
        if (message.method === 'subscriptions/listen') closing.abort();
      }
    },
    close: async () => {
      for (const { closing } of underWay) closing.abort();
      await idle();
    },
  };
}

/** Largest message of a host: no tool takes arguments of such a size, and the gateway no body. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

const TOO_LONG = 'The message is larger than 8 MiB. Send less in one message.';

/** The message on a line, or the error that answers the line; null for an empty one. */
function decode(line: Buffer): HostMessage | RpcError | null {
  try {
    return readMessage(line);
  } catch {
    if (line.toString('latin1').trim() === '') return null;
    return rpcErrorOf(
      'unreadable_request',
      'The line is not JSON. Write one JSON-RPC message a line.',
    );
  }
}

/** The messages of an answer, which has several if it is a batch's; null if it is no JSON-RPC. */
function readAnswers(text: string): Record<string, unknown>[] | null {
  try {
    const answers = [JSON.parse(text)].flat().filter(isObject);
    return answers.length > 0 && answers.every(({ jsonrpc }) => jsonrpc === '2.0') ? answers : null;
  } catch {
    return null;
  }
}

function revisionOf({ result }: Record<string, unknown>): string | null {
  const revision = isObject(result) ? result['protocolVersion'] : undefined;
  return typeof revision === 'string' ? revision : null;
}

const unexpected = (thrown: unknown): ExchangeFailure =>
  new ExchangeFailure(rpcErrorOf('internal', `The bridge failed: ${String(thrown)}`));
