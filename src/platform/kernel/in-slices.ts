import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time for which the event loop may be busy with such work in one turn. */
const SLICE_MS = 5;

/** What such work results in. */
export type ResultOf<Work extends (...values: never[]) => Iterator<unknown, unknown>> =
  ReturnType<Work> extends Iterator<unknown, infer R> ? Readonly<R> : never;

/** Does work that yields after each small step, in turns of a few milliseconds between which other work continues. */
export async function inSlices<R>(steps: Iterator<unknown, R>): Promise<R> {
  for (;;) {
    await nextTurn();
    const startedMs = performance.now();
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (performance.now() - startedMs < SLICE_MS);
  }
}

/** Does the same work in one turn. */
export function atOnce<R>(steps: Iterator<unknown, R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
