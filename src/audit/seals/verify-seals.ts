import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { isoTime } from '../../platform/kernel/time.ts';
import { type Anchor, formatAnchor, hashRecords, hashSeal, type Seal } from './seal.ts';

/** What proves that the log was changed. */
export interface SealFinding {
  /** The first seal that differs. */
  readonly seq: number;
  /** The records concerned were stored after this time, if it is known; ISO 8601, UTC. */
  readonly from: string | null;
  /** And before this one. */
  readonly to: string | null;
  /** A sentence for the operator. */
  readonly text: string;
}

export interface VerifyReport {
  readonly intact: boolean;
  readonly seals: number;
  /** Seals whose records were deleted because of their age. */
  readonly expiredSeals: number;
  readonly records: number;
  /** Records since the newest seal, which nothing proves yet. */
  readonly unsealedRecords: number;
  /** The newest seal in the form of `--anchor`; null without one. */
  readonly anchor: string | null;
  readonly finding: SealFinding | null;
}

export interface VerifyDeps {
  readonly db: Kysely<Tables>;
  readonly anchors: readonly Anchor[];
  /** Seals from before this time may lack their records. */
  readonly expiredBeforeMs: number;
  /** Called after each seal with what has been checked so far. */
  readonly onProgress?: ((seals: number, records: number) => void) | undefined;
}

/** Computes all seals again from the records, up to the first one that differs. */
export async function verifySeals(deps: VerifyDeps): Promise<VerifyReport> {
  const { db, anchors, expiredBeforeMs } = deps;
  const counts = { seals: 0, expiredSeals: 0, records: 0 };
  let previous: Seal | undefined;
  let finding: SealFinding | null = null;
  let isExpired = true;
  for await (const seal of readSeals(db)) {
    // Retention deletes from the oldest on, so behind a younger seal an old time comes from a wrong clock.
    isExpired &&= seal.sealed_at_ms < expiredBeforeMs;
    let text = previous || isExpired || seal.seq === 1 ? undefined : DELETED_BEFORE;
    text ??= textOfSeal(seal, previous, anchors);
    if (text === undefined) {
      const after = previous?.up_to ?? (seal.seq === 1 ? 0 : Number.MIN_SAFE_INTEGER);
      const found = await hashRecords(db, after, seal.up_to);
      counts.records += found.count;
      if (found.recordsHash !== seal.records_hash) {
        // Retention deletes the records of a seal little by little.
        const isSwept = isExpired && found.count < seal.count;
        if (!isSwept) text = textOfRecords(found.count, seal.count);
        else if (await hasYoung(deps, seal.up_to)) text = ADDED;
        else counts.expiredSeals++;
      }
    }
    if (text !== undefined) {
      finding = findingAt(seal, previous, text);
      break;
    }
    counts.seals++;
    previous = seal;
    deps.onProgress?.(counts.seals, counts.records);
  }
  finding ??= missingAnchor(anchors, previous);
  return {
    intact: finding === null,
    ...counts,
    unsealedRecords: await countAfter(db, previous?.up_to ?? 0),
    anchor: previous ? formatAnchor(previous) : null,
    finding,
  };
}

const DELETED_BEFORE =
  'The seals before it were deleted, although they were younger than AUDIT_RETENTION_DAYS.';

const ADDED = 'Younger records were added to those that were deleted because of their age.';

/** What is wrong with a seal itself, or with what it follows. */
function textOfSeal(
  seal: Seal,
  previous: Seal | undefined,
  anchors: readonly Anchor[],
): string | undefined {
  if (previous && seal.seq !== previous.seq + 1) return 'The seals before it were deleted.';
  if (hashSeal(seal) !== seal.hash) return 'The seal was changed.';
  if (seal.prev_hash !== (previous?.hash ?? (seal.seq === 1 ? '' : seal.prev_hash))) {
    return 'It does not follow the seal before it: the log was sealed again up to here.';
  }
  if (anchors.some(({ seq, hash }) => seq === seal.seq && hash !== seal.hash)) {
    return 'Its anchor has a different hash: the log was sealed again up to here.';
  }
  return undefined;
}

function textOfRecords(found: number, sealed: number): string {
  if (found === sealed) return 'A record was changed.';
  return `It has ${sealed} records, but ${found} are stored: records were ${found < sealed ? 'deleted' : 'added'}.`;
}

/** Whether a record that retention would not have reached pretends to be an expired one. */
async function hasYoung({ db, expiredBeforeMs }: VerifyDeps, upTo: number): Promise<boolean> {
  const young = await runQuery(() =>
    db
      .selectFrom('audit_records')
      .select('n')
      .where('n', '<=', upTo)
      .where('timestamp_ms', '>=', expiredBeforeMs)
      .limit(1)
      .executeTakeFirst(),
  );
  return young !== undefined;
}

const findingAt = (seal: Seal, previous: Seal | undefined, text: string): SealFinding => ({
  seq: seal.seq,
  from: previous ? isoTime(previous.sealed_at_ms) : null,
  to: isoTime(seal.sealed_at_ms),
  text,
});

/** An anchor beyond the newest seal. Those before the oldest are of seals that retention deleted. */
function missingAnchor(anchors: readonly Anchor[], newest: Seal | undefined): SealFinding | null {
  const missing = anchors.find(({ seq }) => seq > (newest?.seq ?? 0));
  if (!missing) return null;
  return {
    seq: missing.seq,
    from: newest ? isoTime(newest.sealed_at_ms) : null,
    to: null,
    text: 'There is an anchor of it, but the log ends before: its end was deleted.',
  };
}

const SEALS_AT_ONCE = 500;

async function* readSeals(db: Kysely<Tables>): AsyncGenerator<Seal, void, void> {
  for (let after = 0; ; ) {
    const page = await runQuery(() =>
      db
        .selectFrom('audit_seals')
        .selectAll()
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(SEALS_AT_ONCE)
        .execute(),
    );
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.seq;
  }
}

async function countAfter(db: Kysely<Tables>, n: number): Promise<number> {
  const { count } = await runQuery(() =>
    db
      .selectFrom('audit_records')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('n', '>', n)
      .executeTakeFirstOrThrow(),
  );
  return count;
}
