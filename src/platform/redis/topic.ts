import type { Closeable } from '../kernel/closing.ts';
import type { Head } from './bus.ts';

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
