/** The time by which a call must have ended; on the monotonic clock, in milliseconds. */
export class Deadline {
  readonly #expiresAtMs: number;

  private constructor(expiresAtMs: number) {
    this.#expiresAtMs = expiresAtMs;
  }

  static in(durationMs: number): Deadline {
    return new Deadline(performance.now() + durationMs);
  }

  /** `expiresAtMs` is of the monotonic clock. */
  static at(expiresAtMs: number): Deadline {
    return new Deadline(expiresAtMs);
  }

  /** Milliseconds left; never negative. */
  remainingMs(): number {
    return Math.max(0, this.#expiresAtMs - performance.now());
  }
}
