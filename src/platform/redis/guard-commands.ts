import type { Redis } from 'ioredis';
import type { Breaker } from './breaker.ts';

/** Makes the client send a command only while the breaker admits it. */
export function guardCommand(client: Redis, name: string, breaker: Breaker): void {
  const send: unknown = Reflect.get(client, name);
  if (typeof send !== 'function') throw new Error(`Redis clients have no command named ${name}.`);
  Reflect.set(client, name, function (this: unknown, ...args: unknown[]) {
    // A pipeline copies the guarded scripts of its client. Its commands were already admitted when they were queued.
    if (this !== client) return Reflect.apply(send, this, args);
    return breaker.run(() => Reflect.apply(send, client, args));
  });
}

/** Does the same for every script defined from now on. */
export function guardScripts(client: Redis, breaker: Breaker): void {
  const define = client.defineCommand.bind(client);
  client.defineCommand = (name, definition) => {
    define(name, definition);
    guardCommand(client, name, breaker);
  };
}
