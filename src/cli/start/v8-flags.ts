import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Sets the V8 flags of a gateway: fewer full collections (docs/performance.md), and a `gc` in new contexts. Call it before
 * any code cache is opened, because V8 refuses code that was compiled with other flags.
 */
export function setV8Flags(): void {
  setFlagsFromString('--heap-growing-percent=300');
  setFlagsFromString('--expose-gc');
}

/** Collects all garbage, including compiled code that can be compiled again. Needs `setV8Flags`. */
export function collectGarbage(): void {
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
