import type { LimitDecision } from './limit-decision.ts';

/** A block is at most this part of what is left, so that blocks shrink near the limit. */
export const PART_OF_LEFT = 8;

/** What this process may use of a limit without asking the store that counts for all processes. */
export interface Lease {
  limit: number;
  /** Leased and not used yet. The store counts it as used, so the limit is never exceeded. */
  inHand: number;
  /** What the store had left after its last reply; it has no more now. */
  left: number;
  /** Admitted while the store was away: it does not know of it yet. */
  owed: number;
  /** More is leased in the background when no more than this is in hand; -1 = never. */
  refillAt: number;
  /** When the window ends. */
  end: number;
}

/** A lease of a window of which nothing is known. */
export const newLease = (limit: number, end: number): Lease => ({
  limit,
  inHand: 0,
  left: limit,
  owed: 0,
  refillAt: -1,
  end,
});

export function changeLimit(lease: Lease, limit: number): void {
  lease.left += limit - lease.limit;
  lease.limit = limit;
}

/**
 * The points to have in hand. `part` is what all processes together may have unused when a window ends. A limit too small
 * for blocks is asked for each request.
 */
export const blockOf = (limit: number, part: number, processes: number): number =>
  Math.floor((limit * part) / Math.max(2, processes));

/** At most so much is still left. */
export const roomOf = ({ inHand, left, owed }: Lease): number => inHand + left - owed;

/** What this process may still admit while the store is away: what it has in hand, and its part of what was left. */
export const roomAlone = ({ inHand, left, owed }: Lease, processes: number): number =>
  inHand + Math.ceil(left / Math.max(1, processes)) - owed;

/** Uses points. What is not in hand is owed to the store. */
export function use(lease: Lease, points: number): void {
  const inHand = Math.min(lease.inHand, points);
  lease.inHand -= inHand;
  lease.owed += points - inHand;
}

/** Enters a reply of the store. */
export function enter(lease: Lease, taken: number, left: number, block: number): void {
  lease.inHand += taken;
  lease.left = left;
  const isWorthwhile = block > 0 && left >= PART_OF_LEFT;
  lease.refillAt = isWorthwhile ? Math.floor(Math.min(lease.inHand, block) / 2) : -1;
}

/** The requests that wait for a lease. Their number is bounded by the requests under way. */
export interface Queue<R> {
  readonly waiting: { readonly request: R; readonly resolve: (decision: LimitDecision) => void }[];
  isAsking: boolean;
}

export const newQueue = <R>(): Queue<R> => ({ waiting: [], isAsking: false });

export interface QueueDeps<R> {
  /** Asks the store for what the waiting requests need, or for more than is in hand. Rejects while it is away. */
  readonly ask: (request: R, waiting: readonly R[]) => Promise<void>;
  /** Undefined if the store must be asked. */
  readonly decide: (request: R) => LimitDecision | undefined;
  readonly decideAlone: (request: R) => LimitDecision;
}

/** Lets the requests of a queue ask the store together, once at a time, and decides them in the order in which they came. */
export function createQueues<R>({ ask, decide, decideAlone }: QueueDeps<R>) {
  function serve({ waiting }: Queue<R>, by: QueueDeps<R>['decide']): void {
    let served = 0;
    for (const { request, resolve } of waiting) {
      const decision = by(request);
      if (decision === undefined) break;
      resolve(decision);
      served++;
    }
    waiting.splice(0, served);
  }

  async function run(queue: Queue<R>, first: R): Promise<void> {
    queue.isAsking = true;
    try {
      let request = first;
      do {
        await ask(
          request,
          queue.waiting.map((waiting) => waiting.request),
        );
        serve(queue, decide);
        request = queue.waiting[0]?.request ?? first;
      } while (queue.waiting.length > 0);
    } catch {
      serve(queue, decideAlone);
    }
    queue.isAsking = false;
  }

  return {
    /** Asks in the background. Never rejects. */
    refill(queue: Queue<R>, request: R): void {
      if (!queue.isAsking) void run(queue, request);
    },
    /** Never rejects. */
    wait: (queue: Queue<R>, request: R): Promise<LimitDecision> =>
      new Promise((resolve) => {
        queue.waiting.push({ request, resolve });
        if (!queue.isAsking) void run(queue, request);
      }),
  };
}
