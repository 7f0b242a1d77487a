import { GatewayError } from '../../platform/kernel/error.ts';
import type { Arguments } from '../choose-rows.ts';
import type { CallOutcome, RangeCount, UnitFailure } from '../tool-call.ts';
import type { UnitEnd, UnitFacts } from './ask-unit.ts';
import type { EarlyEnd } from './run-control.ts';

/** Failed units that a result names. */
const MAX_FAILURES = 10;
/** Units that fail one after another, before the others are spared. */
const MAX_FAILED_IN_A_ROW = 20;

/** Failures that every other unit would have, too. */
const COMMON_CODES: ReadonlySet<string> = new Set(['missing_secret', 'quota_exhausted']);
const COMMON_CAUSES: ReadonlySet<string | null> = new Set([
  'operator_key',
  'not_approved',
  'quota',
]);

type Failed = Extract<UnitEnd, { kind: 'failed' }>;

/** What the units of a range came to. */
export class RangeTally {
  readonly #total: number;
  readonly #failures: UnitFailure[] = [];
  #done = 0;
  #failed = 0;
  #inARow = 0;
  #facts: UnitFacts | undefined;
  /** The failure of the first unit that has one. */
  failure: GatewayError | CallOutcome | undefined;

  constructor(total: number) {
    this.#total = total;
  }

  /** Units that ended, well or badly. */
  get ended(): number {
    return this.#done + this.#failed;
  }

  get done(): number {
    return this.#done;
  }

  /** What is known of all answers together. */
  get facts(): UnitFacts | undefined {
    return this.#facts;
  }

  addWhole(facts: UnitFacts): void {
    const known = this.#facts;
    this.#done++;
    this.#inARow = 0;
    this.#facts = known
      ? {
          fetchedAtMs: Math.min(known.fetchedAtMs, facts.fetchedAtMs),
          asOf: known.asOf === facts.asOf ? known.asOf : null,
          isSample: known.isSample || facts.isSample,
          isHit: known.isHit && facts.isHit,
        }
      : facts;
  }

  /** Returns whether the other units would fail as well. */
  addFailed(unit: Arguments, { reason, failure }: Failed): boolean {
    this.#failed++;
    this.#inARow++;
    this.failure ??= failure;
    if (this.#failures.length < MAX_FAILURES) this.#failures.push({ unit, reason });
    return this.#inARow >= MAX_FAILED_IN_A_ROW || isCommon(failure);
  }

  count(): RangeCount {
    const units = { done: this.#done, total: this.#total, failed: this.#failed };
    const failures = this.#failures;
    return {
      complete: this.#done === this.#total,
      units: failures.length === 0 ? units : { ...units, failures },
    };
  }

  /** What is missing, why, and how to get it; undefined if nothing is missing. */
  hint(why: EarlyEnd | null, { isCached, retryAfterSeconds }: HintFacts): string | undefined {
    if (this.#done === this.#total) return undefined;
    const parts = [`Not complete: ${this.#done} of ${this.#total} units came.`];
    const [first] = this.#failures;
    if (first) parts.push(`${this.#failed} failed, first ${inWords(first.unit)}: ${first.reason}`);
    if (why !== null) parts.push(WHY[why](retryAfterSeconds));
    const how = isCached
      ? 'Call again with the same arguments for the rest: what came is still cached for a while.'
      : 'Call again with an _over of what is missing.';
    return [...parts, how].join(' ');
  }
}

interface HintFacts {
  /** Whether answers of the tool are cached. */
  readonly isCached: boolean;
  readonly retryAfterSeconds: number;
}

const WHY: Readonly<Record<EarlyEnd, (seconds: number) => string>> = {
  time: () => 'The time for one call is over.',
  cancelled: () => 'The call was cancelled.',
  requests: () => 'One call makes at most 1,000 requests.',
  minute: (seconds) => `The rate limit has room again in ${seconds} s.`,
  day: (seconds) => `The daily limit of this API key has room again in ${seconds} s.`,
  source: () => 'The others were not asked, because the source fails.',
};

const isCommon = (failure: Failed['failure']): boolean =>
  failure instanceof GatewayError
    ? COMMON_CODES.has(failure.code)
    : failure !== undefined && COMMON_CAUSES.has(failure.cause);

const inWords = (unit: Arguments): string =>
  Object.entries(unit)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ');
