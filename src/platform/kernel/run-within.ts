import { createContext, Script } from 'node:vm';
import { isObject } from './plain-json.ts';

/** The work was ended because it had used up its time. */
export class WorkTooSlow extends Error {}

const realm: { work?: () => unknown } = createContext({});
const script = new Script('work()');

/** Attempts at work that was ended before it had half of its time: a busy machine gave the thread no processor. */
const MAX_ATTEMPTS = 3;

/**
 * Runs synchronous work for at most `timeoutMs` of processor time, whatever it does: V8 interrupts loops and regular
 * expressions alike. Throws WorkTooSlow beyond it. The work may run up to three times, and blocks its thread meanwhile,
 * so long work belongs on a thread of its own.
 */
export function runWithin<T>(timeoutMs: number, work: () => T): T {
  for (let attempt = 1; ; attempt++) {
    const before = process.threadCpuUsage();
    realm.work = work;
    try {
      return script.runInContext(realm, { timeout: timeoutMs }) as T;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const { user, system } = process.threadCpuUsage(before);
      const isStarved = (user + system) / 1000 < timeoutMs / 2;
      if (attempt === MAX_ATTEMPTS || !isStarved) throw new WorkTooSlow('The work took too long.');
    } finally {
      delete realm.work;
    }
  }
}

/** The error is of the other realm, and so no instance of this one's `Error`. */
const isTimeout = (error: unknown): boolean =>
  isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
