import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Sets the V8 flags of a gateway: fewer full collections (docs/performance.md), and a `gc` in new contexts. Flags that size
 * the heap end here: the heap of this thread has its size already, and they would replace the smaller limits of the threads
 * that read large responses and descriptions. Call it before any code cache is opened, because V8 refuses code that was
 * compiled with other flags.
 */
export function setV8Flags(): void {
  setFlagsFromString('--max-old-space-size=0');
  setFlagsFromString('--max-semi-space-size=0');
  setFlagsFromString('--heap-growing-percent=300');
  setFlagsFromString('--expose-gc');
}

/**
 * Collects garbage now; as a last resort, with compiled code that can be compiled again. Needs `setV8Flags`.
 *
 * A tick must be pending during a collection, which also drops the hidden classes of objects that do not currently
 * exist. Node.js creates ticks with computed property names; once V8 finds the hidden class of such objects missing, it
 * never optimises that code again, and every tick costs four times as much.
 */
export function collectGarbage(flavor: 'regular' | 'last-resort'): void {
  process.nextTick(() => {});
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  collect({ type: 'major', execution: 'sync', flavor });
}
