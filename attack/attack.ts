import type { Arena } from './arena.ts';

/** What an attack brought about. */
export interface Seen {
  /** Did the bound hold? */
  readonly held: boolean;
  readonly text: string;
}

/** One way to hurt a gateway or its tenants, and what must hold nevertheless. */
export interface Attack {
  readonly name: string;
  readonly bound: string;
  /** Attacks once, from the side of the attacking tenant or of a stranger. Must give back all it opened. */
  readonly run: (arena: Arena) => Promise<Seen>;
}

/** An attack on what a gateway stores or depends on; it starts gateways of its own. */
export interface StorageAttack {
  readonly name: string;
  readonly bound: string;
  readonly run: () => Promise<Seen>;
}

export const seen = (held: boolean, text: string): Seen => ({ held, text });
