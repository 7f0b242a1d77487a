import { parentPort } from 'node:worker_threads';

/** Does what its messages say: answers, uses up its memory, or never answers. */
parentPort?.on('message', (message: string) => {
  if (message === 'eat') {
    const eaten: unknown[] = [];
    for (;;) eaten.push(new Array(100_000).fill('x'));
  }
  if (message !== 'sleep') parentPort?.postMessage(`${message}!`);
});
