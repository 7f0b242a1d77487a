import type { UnitEnd } from './ask-unit.ts';

/** Units of one call that are asked at once. */
export const UNITS_AT_ONCE = 4;
/** Units that are asked or wait for an earlier one, whose rows come before theirs. */
const MAX_HELD = 12;

export interface RunDeps {
  readonly count: number;
  /** Whether no further unit may be started. */
  readonly isOver: () => boolean;
  /** Never rejects. */
  readonly ask: (index: number) => Promise<UnitEnd>;
  /** Told the end of each unit that was started, in their order. May reject, which ends the run. */
  readonly take: (index: number, end: UnitEnd) => Promise<void>;
}

/** Asks all units, a few at once, and passes on how they ended in their order. Resolves when none is under way. */
export async function runUnits({ count, isOver, ask, take }: RunDeps): Promise<void> {
  const started: Promise<UnitEnd>[] = [];
  let next = 0;
  let active = 0;
  let failure: { readonly error: unknown } | undefined;
  const mayStart = (): boolean =>
    next < count && active < UNITS_AT_ONCE && started.length < MAX_HELD && !failure && !isOver();
  function fill(): void {
    while (mayStart()) {
      active++;
      started.push(
        ask(next++).finally(() => {
          active--;
          fill();
        }),
      );
    }
  }
  fill();
  for (let index = 0; started.length > 0; index++) {
    const end = (await started[0]) ?? { kind: 'stopped' };
    started.shift();
    if (failure === undefined) {
      await take(index, end).catch((error: unknown) => {
        failure = { error };
      });
    } else if (end.kind === 'whole') end.pages.close();
    fill();
  }
  if (failure) throw failure.error;
}
