import { parentPort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { runWithin, WorkTooSlow } from '../../platform/kernel/run-within.ts';
import { createArgumentValidator } from './argument-validator.ts';
import type { ExactPlace } from './exact-arguments.ts';
import type { ArgumentRules, Arguments } from './lenient-arguments.ts';
import {
  type CheckedArguments,
  createArgumentReader,
  type ReadArguments,
} from './read-arguments.ts';
import {
  type CodeChoices,
  type ResolveCode,
  type ResolvedCode,
  resolveNothing,
} from './resolve-code.ts';

/** A name that the check needs looked up, which only the event loop can do. */
export type NameToResolve = Parameters<ResolveCode>;

export interface ArgumentWork {
  readonly version: string;
  /** Absent if the thread may have it. */
  readonly rules?: ArgumentRules;
  readonly received: Arguments;
  readonly exact: readonly ExactPlace[];
  readonly resolved: readonly (readonly [NameToResolve, ResolvedCode | CodeChoices])[];
  readonly timeoutMs: number;
}

export type ArgumentResult =
  | { readonly kind: 'checked'; readonly result: CheckedArguments }
  /** Names to look up before the check can end. */
  | { readonly kind: 'names'; readonly names: readonly NameToResolve[] }
  /** The thread does not have the rules of this version. */
  | { readonly kind: 'unknown' }
  /** The check was ended while it was at this argument; null: before it came to one. */
  | { readonly kind: 'late'; readonly argument: string | null }
  | { readonly kind: 'failed' };

/** Time for building a check: several times what the registration of a tool allows, on any machine. */
const MAX_BUILD_MS = 1000;
/** Checks that are kept built. Each takes up to 1.5 MB, most take 100 KB. */
const MAX_KEPT = 32;

interface KeptCheck {
  readonly read: ReadArguments;
  /** Whether the parts that only invalid arguments need were built, too. */
  isWhole: boolean;
}

const checks = new LRUCache<string, KeptCheck>({ max: MAX_KEPT });

/** The argument that a check is at. */
let current: string | null = null;

/** The same arguments, which tell which of them is read. */
const watched = (args: Record<string, unknown>): Record<string, unknown> =>
  new Proxy(args, {
    get: (target, name, receiver) => {
      if (typeof name === 'string') current = name;
      return Reflect.get(target, name, receiver);
    },
  });

parentPort?.on('message', async (work: ArgumentWork) => {
  parentPort?.postMessage(await resultOf(work).catch(failureOf));
});

async function resultOf(work: ArgumentWork): Promise<ArgumentResult> {
  const { version, rules } = work;
  current = null;
  const check = checks.get(version) ?? (rules && build(version, rules));
  if (!check) return { kind: 'unknown' };
  const known = new Map(work.resolved.map(([name, result]) => [JSON.stringify(name), result]));
  const names: NameToResolve[] = [];
  const result = await runCheck(check, work.timeoutMs, () => {
    names.length = 0;
    const resolve: ResolveCode = (...name) => {
      const resolved = known.get(JSON.stringify(name));
      if (!resolved) names.push(name);
      return resolved ?? resolveNothing();
    };
    return check.read(work.received, resolve, work.exact);
  });
  return names.length > 0 ? { kind: 'names', names } : { kind: 'checked', result };
}

const failureOf = (error: unknown): ArgumentResult =>
  error instanceof WorkTooSlow ? { kind: 'late', argument: current } : { kind: 'failed' };

function build(version: string, rules: ArgumentRules): KeptCheck {
  const read = runWithin(MAX_BUILD_MS, () => {
    const validate = createArgumentValidator(rules);
    return createArgumentReader(rules, (args) => {
      const issues = validate(watched(args));
      current = null;
      return issues;
    });
  });
  const check = { read, isWhole: false };
  checks.set(version, check);
  return check;
}

/** Runs a check. The first invalid arguments also build parts of it, which may take longer than the check itself. */
function runCheck<T>(check: KeptCheck, timeoutMs: number, run: () => T): T {
  try {
    return runWithin(timeoutMs, run);
  } catch (error) {
    if (check.isWhole || !(error instanceof WorkTooSlow)) throw error;
    check.isWhole = true;
    void runWithin(MAX_BUILD_MS, () => check.read({ '': 0 }, resolveNothing));
    return runWithin(timeoutMs, run);
  }
}
