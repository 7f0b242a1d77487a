import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition is true; the time limit of the test ends the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}
