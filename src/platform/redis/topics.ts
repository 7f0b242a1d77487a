import type { Closeable } from '../kernel/closing.ts';
import { createLru } from '../kernel/memo.ts';
import type { Bus, Head } from './bus.ts';
import { TO_ALL } from './channels.ts';

/** How often a replica repeats what it listens to. */
const REPEAT_MS = 10_000;
/** How long a subscription is trusted without renewal: two repetitions may be lost. */
const SUBSCRIPTION_TTL_MS = 3 * REPEAT_MS;
/** How long others may take to say what they listen to. Until they have, everything is sent. */
const LEARNING_MS = 2000;
/** Of one statement. */
const MAX_NAMES = 1000;
/** Subjects that other replicas listen to. */
const MAX_SUBJECTS = 100_000;
/** A larger batch is sent at once. */
const MAX_BATCH_BYTES = 1024 * 1024;

/**
 * Opens topics on a bus. Replicas tell each other the subjects that they listen to, and send nothing about others: a
 * subject to which no other replica listens costs a look-up.
 */
export const createTopics =
  (bus: Bus): OpenTopic =>
  (name, onItem) => {
    /** How often each subject is listened to here. */
    const mine = new Map<string, number>();
    const theirs = createListeners(bus, name);
    const channelOf = (subject: string): string => `${name}:${subject}`;

    const announce = async (subjects: readonly string[]): Promise<void> => {
      for (let from = 0; from < subjects.length; from += MAX_NAMES) {
        const head = { kind: `${name}.listens`, subjects: subjects.slice(from, from + MAX_NAMES) };
        await bus.publish(TO_ALL, head);
      }
    };
    const announceAll = (): Promise<void> => announce([...mine.keys()]);
    const timer = setInterval(announceAll, REPEAT_MS).unref();
    const who = { kind: `${name}.who` };
    bus.handle(who.kind, async () => {
      await announceAll();
      return {};
    });
    let learning = 0;
    bus.onOpen(async () => {
      learning++;
      await announceAll();
      await bus.ask(TO_ALL, who, { timeoutMs: LEARNING_MS });
      learning--;
    });
    bus.handle(name, ({ head, body }) => {
      for (const item of itemsOf(head, body)) onItem(String(head['subject']), item);
    });

    const batches = createBatches(async (subject, items) => {
      const lengths = items.map(({ head, body }) => [head, body.length]);
      const head = { kind: name, subject, items: lengths };
      const body = Buffer.concat(items.map((item) => item.body));
      if ((await bus.publish(channelOf(subject), head, body)) > 0) return;
      // No replica listens any more, unless it is Redis that is away.
      if (bus.isOpen()) theirs.remove(subject);
      else bus.countLost(items.length);
    });

    return {
      isAwaited: (subject) => learning > 0 || theirs.has(subject),
      publish: batches.add,
      listen: async (subject) => {
        const count = mine.get(subject) ?? 0;
        mine.set(subject, count + 1);
        if (count > 0) return;
        await bus.join(channelOf(subject));
        await announce([subject]);
      },
      leave: (subject) => {
        const count = mine.get(subject) ?? 0;
        if (count > 1) mine.set(subject, count - 1);
        else if (mine.delete(subject)) bus.leave(channelOf(subject));
      },
      close: async () => {
        clearInterval(timer);
        theirs.close();
        batches.flush();
      },
    };
  };

/** The subjects to which other replicas listen. */
function createListeners(bus: Bus, name: string) {
  /** With the time until which each is believed. */
  const subjects = createLru<number>(MAX_SUBJECTS);
  let openSinceMs = 0;
  bus.onOpen(() => {
    openSinceMs = performance.now();
  });
  bus.handle(`${name}.listens`, ({ head }) => {
    const untilMs = performance.now() + SUBSCRIPTION_TTL_MS;
    const names = Array.isArray(head['subjects']) ? head['subjects'].slice(0, MAX_NAMES) : [];
    for (const subject of names) subjects.set(String(subject), untilMs);
  });
  const timer = setInterval(() => {
    const nowMs = performance.now();
    // While nothing can be received, what others said last stays true.
    if (!bus.isOpen() || nowMs - openSinceMs < SUBSCRIPTION_TTL_MS) return;
    for (const [subject, untilMs] of subjects.entries()) {
      if (untilMs < nowMs) subjects.delete(subject);
    }
  }, REPEAT_MS).unref();
  return {
    has: (subject: string): boolean => subjects.size > 0 && subjects.has(subject),
    remove: (subject: string): void => void subjects.delete(subject),
    close: (): void => clearInterval(timer),
  };
}

/** Collects the items of one turn of the event loop for each subject. */
function createBatches(send: (subject: string, items: readonly Item[]) => unknown) {
  let batches = new Map<string, Item[]>();
  let bytes = 0;
  function flush(): void {
    const full = batches;
    batches = new Map();
    bytes = 0;
    for (const [subject, items] of full) void send(subject, items);
  }
  return {
    add: (subject: string, item: Item): void => {
      if (batches.size === 0) setImmediate(flush);
      const batch = batches.get(subject);
      if (batch) batch.push(item);
      else batches.set(subject, [item]);
      bytes += item.body.length;
      if (bytes > MAX_BATCH_BYTES) flush();
    },
    flush,
  };
}

/** The items of a message, whose bytes follow each other in its body. */
function itemsOf({ items }: Head, body: Buffer): Item[] {
  if (!Array.isArray(items)) return [];
  let from = 0;
  return items.map((entry: [Head, number]) => {
    const [head, length] = entry;
    from += length;
    return { head, body: body.subarray(from - length, from) };
  });
}

/** One message about a subject, such as an event of a tenant. */
export interface Item {
  readonly head: Head;
  readonly body: Buffer;
}

export interface Topic {
  /** Whether another replica listens to the subject. Otherwise nothing needs to be built for it. */
  isAwaited(subject: string): boolean;
  /** Sends an item to the replicas that listen. Those of one turn of the event loop share a message. */
  publish(subject: string, item: Item): void;
  /** Listens to a subject, as often as it is called. Resolves once the others know it, or cannot. */
  listen(subject: string): Promise<void>;
  /** Ends one `listen`. */
  leave(subject: string): void;
}

export type OpenTopic = (
  name: string,
  onItem: (subject: string, item: Item) => void,
) => Topic & Closeable;

/** A topic of a gateway without a bus: there are no others. */
export const SILENT_TOPIC: Topic & Closeable = {
  isAwaited: () => false,
  publish: () => undefined,
  listen: () => Promise.resolve(),
  leave: () => undefined,
  close: () => Promise.resolve(),
};
