import type { Awaitable } from '../../platform/kernel/awaitable.ts';

/** One end of the channel between the supervisor and a worker. */
interface ChannelEnd {
  readonly connected: boolean;
  send?(message: Message, onSent: () => void): boolean;
  on(event: 'message', listener: (message: Message) => void): unknown;
}

interface Message {
  readonly id: number;
  /** What is asked; absent in an answer. */
  readonly what?: string;
  readonly value: unknown;
}

/** What this end answers, by what is asked. Undefined is no answer. */
type Answers = Readonly<Record<string, (value: unknown) => Awaitable<unknown>>>;

/** Beyond these, the other end is not asked again before it answers: it may have stopped, and messages wait in memory. */
const MAX_UNANSWERED = 100;

/** Questions and answers between two processes. Nothing is thrown if the other one has ended. */
export function createChannel(end: ChannelEnd, answers: Answers) {
  const unanswered = new Map<number, (value: unknown) => void>();
  let lastId = 0;

  const send = (message: Message): void => {
    // With a callback, a failure to send is no error event.
    if (end.connected) end.send?.(message, () => undefined);
  };

  async function answer({ id, what = '', value }: Message): Promise<void> {
    const given = await answers[what]?.(value);
    if (given !== undefined) send({ id, value: given });
  }

  end.on('message', (message) => {
    if (message.what !== undefined) {
      // A question that cannot be answered has no answer.
      void answer(message).catch(() => undefined);
      return;
    }
    unanswered.get(message.id)?.(message.value);
    unanswered.delete(message.id);
  });

  return {
    tell: (what: string, value: unknown): void => send({ id: 0, what, value }),
    /** Resolves with undefined if no answer comes in time. */
    ask: (what: string, value: unknown, waitMs: number): Promise<unknown> => {
      if (!end.connected || unanswered.size >= MAX_UNANSWERED) return Promise.resolve(undefined);
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const timer = setTimeout(resolve, waitMs, undefined);
      const id = ++lastId;
      unanswered.set(id, (value) => {
        clearTimeout(timer);
        resolve(value);
      });
      send({ id, what, value });
      return promise;
    },
    /** The other end has ended: nothing that was asked is answered any more. */
    ended: (): void => {
      for (const settle of unanswered.values()) settle(undefined);
      unanswered.clear();
    },
  };
}

export type Channel = ReturnType<typeof createChannel>;
