import { MessageChannel } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { createChannel } from './channel.ts';

type Answers = Parameters<typeof createChannel>[1];

/** Two ends of a channel, like that of a child process. */
function connect(here: Answers, there: Answers) {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const endOf = (port: typeof port1) => ({
    connected: true,
    send: (message: unknown) => {
      port.postMessage(message);
      return true;
    },
    on: (event: 'message', listener: (message: never) => void) =>
      port.on(event, (message) => listener(message as never)),
  });
  return [createChannel(endOf(port1), here), createChannel(endOf(port2), there)] as const;
}

it('answers questions of both ends', async () => {
  const [here, there] = connect(
    { double: (n) => Number(n) * 2 },
    { half: async (n) => Number(n) / 2 },
  );
  expect(await Promise.all([here.ask('half', 8, 9000), there.ask('double', 8, 9000)])).toEqual([
    4, 16,
  ]);
});

it('has no answer to what fails, is unknown or takes too long', async () => {
  const fails = () => Promise.reject(new Error('It fails.'));
  const [here] = connect({}, { fails, never: () => new Promise(() => undefined) });
  const asked = ['fails', 'never', 'unknown'].map((what) => here.ask(what, null, 50));
  expect(await Promise.all(asked)).toEqual([undefined, undefined, undefined]);
});

it('does not ask an end again that has left 100 questions unanswered', async () => {
  let asked = 0;
  const count = () => {
    asked++;
    return undefined;
  };
  const [here, there] = connect({ done: () => true }, { count });
  await Promise.all(Array.from({ length: 150 }, () => here.ask('count', null, 10)));
  expect(await there.ask('done', null, 9000)).toBe(true);
  expect(asked).toBe(100);
});

it('answers at once what was asked of an end that has ended', async () => {
  const [here] = connect({}, { never: () => new Promise(() => undefined) });
  const asked = here.ask('never', null, 60_000);
  here.ended();
  expect(await asked).toBeUndefined();
});
