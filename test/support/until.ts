import { setTimeout as sleep } from 'node:timers/promises';

/** A long wait must not keep a core busy, which other tests need. */
const MAX_PAUSE_MS = 50;

/** Waits until the condition is true; the time limit of the test ends the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let pauseMs = 2; !(await condition()); pauseMs *= 1.5) {
    await sleep(Math.min(pauseMs, MAX_PAUSE_MS));
  }
}
