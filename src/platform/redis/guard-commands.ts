import type { Redis } from 'ioredis';
import type { Breaker } from './breaker.ts';

/** Sends a command of this client only while its breaker admits it. */
export function guardCommand(client: Redis, name: string, breaker: Breaker): void {
  const send: unknown = Reflect.get(client, name);
  if (typeof send !== 'function') throw new Error(`Redis clients have no command ${name}.`);
  Reflect.set(client, name, function (this: unknown, ...args: unknown[]) {
    // A pipeline takes the client's scripts over as they are; whoever filled it was asked before.
    if (this !== client) return Reflect.apply(send, this, args);
    return breaker.run(() => Reflect.apply(send, client, args));
  });
}

/** The same for every script that is defined from now on. */
export function guardScripts(client: Redis, breaker: Breaker): void {
  const define = client.defineCommand.bind(client);
  client.defineCommand = (name, definition) => {
    define(name, definition);
    guardCommand(client, name, breaker);
  };
}
