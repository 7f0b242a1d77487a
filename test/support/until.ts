import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something has come true; the test's own time limit ends the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(5);
}
