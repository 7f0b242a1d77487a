/** One check, and what came of it. */
export interface StepResult {
  readonly step: string;
  readonly isOk: boolean;
  /** Whether it works, but should not stay as it is. */
  readonly isWarning?: boolean;
  /** What was found; of a failure, with its usual cause. */
  readonly finding: string;
}

/** A check that failed: what was found, and its usual cause. */
export class Failure extends Error {
  constructor(found: string, cause: string) {
    super(`${found} ${cause}`);
  }
}
