import { setTimeout as sleep } from 'node:timers/promises';
import type { Arena } from './arena.ts';

/** The result of an attack. */
export interface Verdict {
  /** Whether the bound held. */
  readonly held: boolean;
  readonly text: string;
}

/** One way to harm a gateway or its tenants, and the bound that must hold. */
export interface Attack {
  readonly name: string;
  readonly bound: string;
  /** Attacks once, as the attacking tenant or as a stranger. Must close everything that it opened. */
  readonly run: (arena: Arena) => Promise<Verdict>;
}

/** An attack on what a gateway stores or depends on. It starts its own gateways. */
export interface StorageAttack {
  readonly name: string;
  readonly bound: string;
  readonly run: () => Promise<Verdict>;
}

/** Waits until the condition is true, but no longer than given: a slow machine needs its time. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  limitMs: number,
): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (performance.now() < endMs && !(await condition())) await sleep(50);
}

export const verdict = (held: boolean, text: string): Verdict => ({ held, text });
