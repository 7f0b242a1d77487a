import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import type pino from 'pino';
import { createOutageLog } from '../kernel/log-lines.ts';
import type { Secret } from '../kernel/secret.ts';
import { repeat } from '../kernel/time.ts';
import { TO_ALL, toReplica } from './channels.ts';
import { CONNECTION_OPTIONS, type RedisConnection } from './redis-connection.ts';

/** What a message says, beside its bytes. Must be JSON. */
export type Head = Readonly<Record<string, unknown>>;

export interface Message {
  /** The replica that sent it. */
  readonly from: string;
  readonly head: Head;
  readonly body: Buffer;
}

/** Handles messages of one kind. The object that it returns or resolves with is the answer for a replica that asked. */
export type Handler = (message: Message) => unknown;

export interface BusOptions {
  /** Sends what is published. */
  readonly client: RedisConnection['client'];
  readonly keyPrefix: string;
  readonly logger: Pick<pino.Logger, 'warn'>;
}

export type Bus = ReturnType<typeof connectBus>;

/** How often the connection that receives is tried: one that is dead would otherwise look idle. */
const PING_MS = 1000;
/** Questions to other replicas that are not answered yet. */
const MAX_QUESTIONS = 1000;
const NOTHING = Buffer.alloc(0);

/**
 * Messages between replicas over Redis Pub/Sub (docs/decisions/0024-many-processes.md). They are not stored: what is sent
 * while Redis or a receiver is away is lost. Those of one replica on one channel arrive in order. A replica does not
 * receive its own. Nothing here throws or rejects.
 */
export function connectBus(url: Secret, { client, keyPrefix, logger }: BusOptions) {
  const replica = randomBytes(8).toString('hex');
  const prefix = `${keyPrefix}bus:`;
  const reportOutage = createOutageLog(logger, 'Redis carries no messages between replicas.');
  const handlers = new Map<string, Handler>();
  const questions = createQuestions();
  const canSend = async (): Promise<void> => {
    // Not `once` of Node.js, which rejects at the first attempt to connect that fails.
    if (client.status !== 'ready') await new Promise((resolve) => client.once('ready', resolve));
  };
  const receiver = openReceiver(url, { prefix, onMessage: receive, reportOutage, canSend });
  for (const channel of [TO_ALL, toReplica(replica)]) void receiver.join(channel);
  let lost = 0;

  async function receive(bytes: Buffer): Promise<void> {
    const message = decode(bytes);
    if (!message || message.from === replica) return;
    const { kind, question, answers } = message.head;
    if (typeof answers === 'number') return questions.answer(answers, message.head);
    try {
      const answer = (await handlers.get(String(kind))?.(message)) as Head | undefined;
      if (typeof question !== 'number') return;
      await publish(toReplica(message.from), { ...answer, answers: question });
    } catch (error) {
      // Another version of the gateway may mean something else by it.
      reportOutage(error);
    }
  }

  /** Resolves with the number of other replicas that received it; 0 if Redis did not take it. */
  async function publish(channel: string, head: Head, body: Buffer = NOTHING): Promise<number> {
    if (client.status !== 'ready') return 0;
    try {
      const bytes = encode({ from: replica, head, body });
      const receivers = await client.publish(prefix + channel, bytes);
      return Math.max(0, receivers - (receiver.receives(channel) ? 1 : 0));
    } catch (error) {
      reportOutage(error);
      return 0;
    }
  }

  return {
    /** This process, until it ends. */
    replica,
    /** Whether messages can be sent and received now. */
    isOpen: (): boolean => receiver.isOpen() && client.status === 'ready',
    publish,
    /** Asks a channel. Resolves with the answers, which are as many as received the question, or arrived in time. */
    ask: async (
      channel: string,
      head: Head,
      { body, timeoutMs }: AskOptions,
    ): Promise<readonly Head[]> => {
      if (!receiver.isOpen() || questions.count() >= MAX_QUESTIONS) return [];
      const question = questions.open(timeoutMs);
      question.expect(await publish(channel, { ...head, question: question.id }, body));
      return question.answers;
    },
    /** Whose messages of this kind `handler` receives. One handler for each kind. */
    handle: (kind: string, handler: Handler): void => void handlers.set(kind, handler),
    join: receiver.join,
    leave: receiver.leave,
    /** Calls `listener` each time that messages can be sent and received again, and now if they can. */
    onOpen: receiver.onOpen,
    /** Counts what others waited for and could not be sent. */
    countLost: (items: number): void => {
      lost += items;
    },
    lost: (): number => lost,
    close: receiver.close,
  };
}

interface AskOptions {
  readonly body?: Buffer;
  readonly timeoutMs: number;
}

interface ReceiverOptions {
  readonly prefix: string;
  readonly onMessage: (bytes: Buffer) => unknown;
  readonly reportOutage: (error: unknown) => void;
  /** Resolves once messages can be sent, too. */
  readonly canSend: () => Promise<void>;
}

/** The connection that receives. It joins its channels again whenever it is connected again. */
function openReceiver(url: Secret, { prefix, onMessage, reportOutage, canSend }: ReceiverOptions) {
  const subscriber = new Redis(url.reveal(), CONNECTION_OPTIONS);
  const wanted = new Set<string>();
  const listeners: (() => void)[] = [];
  let isOpen = false;
  /** Whether listeners have been called since the connection was lost. */
  let isAnnounced = false;

  async function begin(): Promise<void> {
    try {
      await subscriber.subscribe(...[...wanted].map((channel) => prefix + channel));
      isOpen = true;
      await canSend();
      isAnnounced = true;
      for (const onOpen of listeners) onOpen();
    } catch (error) {
      reportOutage(error);
    }
  }
  subscriber.on('error', reportOutage);
  subscriber.on('ready', () => void begin());
  subscriber.on('close', () => {
    isOpen = false;
    isAnnounced = false;
  });
  subscriber.on('messageBuffer', (_channel: Buffer, bytes: Buffer) => void onMessage(bytes));
  const stopPings = repeat(
    async () => {
      if (isOpen) await subscriber.ping().catch(reportOutage);
    },
    () => PING_MS,
  );

  return {
    isOpen: (): boolean => isOpen,
    receives: (channel: string): boolean => isOpen && wanted.has(channel),
    /** Receives a channel from now on. Resolves once Redis has confirmed it, or cannot. */
    join: async (channel: string): Promise<void> => {
      wanted.add(channel);
      if (isOpen) await subscriber.subscribe(prefix + channel).catch(reportOutage);
    },
    leave: (channel: string): void => {
      wanted.delete(channel);
      if (isOpen) subscriber.unsubscribe(prefix + channel).catch(reportOutage);
    },
    onOpen: (listener: () => void): void => {
      listeners.push(listener);
      if (isAnnounced) listener();
    },
    close: async (): Promise<void> => {
      stopPings();
      isOpen = false;
      subscriber.disconnect();
    },
  };
}

/** Questions that wait for answers. */
function createQuestions() {
  const open = new Map<number, (head: Head) => void>();
  let latest = 0;
  return {
    count: (): number => open.size,
    answer: (id: number, head: Head): void => open.get(id)?.(head),
    open: (timeoutMs: number) => {
      const id = ++latest;
      const given: Head[] = [];
      let expected = Number.POSITIVE_INFINITY;
      const { promise: answers, resolve } = Promise.withResolvers<readonly Head[]>();
      const end = (): void => {
        clearTimeout(timer);
        open.delete(id);
        resolve(given);
      };
      const timer = setTimeout(end, timeoutMs);
      open.set(id, (head) => {
        given.push(head);
        if (given.length >= expected) end();
      });
      return {
        id,
        answers,
        /** How many answers to wait for. Some may have arrived already. */
        expect: (count: number): void => {
          expected = count;
          if (given.length >= expected) end();
        },
      };
    },
  };
}

const LINE_FEED = 0x0a;

/** Layout: one line of JSON, then the bytes. */
function encode({ from, head, body }: Message): Buffer {
  const line = Buffer.from(`${JSON.stringify({ ...head, from })}\n`);
  return body.length === 0 ? line : Buffer.concat([line, body]);
}

/** Undefined for what `encode` did not write. */
function decode(bytes: Buffer): Message | undefined {
  const end = bytes.indexOf(LINE_FEED);
  try {
    const { from, ...head } = JSON.parse(bytes.toString('utf8', 0, end)) as Head;
    return typeof from === 'string' ? { from, head, body: bytes.subarray(end + 1) } : undefined;
  } catch {
    return undefined;
  }
}
