import { parentPort } from 'node:worker_threads';

/** Does what a message says: "eat" exhausts the heap, "sleep" gets no answer, anything else is echoed. */
parentPort?.on('message', (message: string) => {
  if (message === 'eat') {
    const eaten: unknown[] = [];
    for (;;) eaten.push(new Array(100_000).fill('x'));
  }
  if (message !== 'sleep') parentPort?.postMessage(`${message}!`);
});
