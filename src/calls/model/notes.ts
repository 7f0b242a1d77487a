import { describeAge } from '../../platform/kernel/describe-age.ts';
import type { CallOutcome } from '../tool-call.ts';

/** What one must know to read an answer rightly, one line each: how to get more, which issue it is, how old it is. */
export function notesOn({ rows, cacheStatus, provenance, kind }: CallOutcome): string[] {
  const { steppedBack, ageSeconds, nextPublication } = provenance;
  const notes: string[] = [];
  if (rows?.hint) notes.push(rows.hint);
  if (steppedBack !== null) {
    const back = steppedBack === 1 ? 'the one before it' : `the one ${steppedBack} before it`;
    notes.push(`The latest publication has no data yet; this is ${back}.`);
  }
  if (cacheStatus === 'STALE') {
    notes.push(
      `The source is failing; this is an older answer, of ${describeAge(ageSeconds)} ago.`,
    );
  }
  if (nextPublication !== null && (steppedBack !== null || kind === 'no_data')) {
    notes.push(`The next publication is due at ${nextPublication}.`);
  }
  return notes.map((note) => `Note: ${note}`);
}
