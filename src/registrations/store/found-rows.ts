import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { createLru } from '../../platform/kernel/memo.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import { type CatalogEntry, slugOf } from '../../tools/catalog-entry.ts';
import type { RowPlace } from '../../tools/model.ts';

/** Tools of which this process knows what is stored. */
const MAX_KNOWN = 10_000;
/** Findings that are being stored at once. Another one waits for the next response. */
const MAX_WRITES = 100;
/** A tool whose responses differ is stored no more often. */
const PAUSE_MS = 60_000;
/** Characters of a finding as JSON: names of members may be as long as a response. */
const MAX_PLACE_LENGTH = 4_000;

export interface FoundRowsDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** Called with what keeps a finding from being stored. Must not throw. */
  readonly onError: (error: unknown) => void;
}

/**
 * Remembers where the latest response of each registered tool had its rows, for people: no call depends on it. What is
 * stored already, and what cannot be stored now, costs a response nothing more.
 */
export function createFoundRows({ db, clock, onError }: FoundRowsDeps) {
  const known = createLru<{ text: string; readonly againMs: number }>(MAX_KNOWN);
  const writing = new Set<Promise<void>>();
  /** Most responses of a tool have the same object for their place. */
  const latest = new WeakMap<CatalogEntry['tool'], RowPlace>();

  const observe = (entry: CatalogEntry, tenantId: string, place: RowPlace): void => {
    if (latest.get(entry.tool) === place) return;
    const nowMs = clock.now();
    const key = `${entry.id} ${entry.tool.version}`;
    const text = JSON.stringify(place);
    const last = known.get(key);
    if (last?.text === text) latest.set(entry.tool, place);
    if (last && (last.text === text || nowMs < last.againMs)) return;
    if (text.length > MAX_PLACE_LENGTH || writing.size >= MAX_WRITES) return;
    const next = { text, againMs: nowMs + PAUSE_MS };
    known.set(key, next);
    // Unless it is stored, the same finding is tried again after the pause.
    const write = storeFinding(db, entry, tenantId, { place: text, found_at_ms: nowMs })
      .catch(onError)
      .then((isStored) => {
        if (isStored !== true) next.text = '';
        writing.delete(write);
      });
    writing.add(write);
  };

  return {
    observe,
    close: async (): Promise<void> => {
      await Promise.all(writing);
    },
  };
}

/** Resolves with false if there is no such registration. */
async function storeFinding(
  db: Kysely<Tables>,
  entry: CatalogEntry,
  tenantId: string,
  finding: { readonly place: string; readonly found_at_ms: number },
): Promise<boolean> {
  const { id, tool, server } = entry;
  const registration = await runQuery(() =>
    db
      .selectFrom('registrations')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('slug', '=', slugOf(entry))
      .executeTakeFirst(),
  );
  // Deleted meanwhile, or a proposal that is only tested.
  if (!registration) return false;
  const values = { ...finding, tool_version: tool.version };
  const owner = { registration_id: registration.id, tool: id.slice(server.id.length + 1) };
  await runQuery(() =>
    db
      .insertInto('registration_rows')
      .values({ ...owner, ...values })
      .onConflict((conflict) => conflict.columns(['registration_id', 'tool']).doUpdateSet(values))
      .execute(),
  );
  return true;
}

/** Where the latest response of a tool had its rows. */
export interface FoundRows {
  readonly toolVersion: string;
  readonly place: RowPlace;
  readonly foundAtMs: number;
}

/** What was found for the tools of a registration, by their names. */
export async function readFoundRows(
  db: Kysely<Tables>,
  registrationId: string,
): Promise<ReadonlyMap<string, FoundRows>> {
  const stored = db.selectFrom('registration_rows').selectAll();
  const rows = await runQuery(() => stored.where('registration_id', '=', registrationId).execute());
  return new Map(
    rows.map(({ tool, tool_version, place, found_at_ms }) => [
      tool,
      { toolVersion: tool_version, place: JSON.parse(place), foundAtMs: found_at_ms },
    ]),
  );
}

/** Forgets what was found for tools that the registration no longer has. Call it in the transaction that stores their names. */
export const forgetFoundRows = (
  db: Kysely<Tables>,
  registrationId: string,
  names: readonly string[],
) =>
  db
    .deleteFrom('registration_rows')
    .where('registration_id', '=', registrationId)
    .where('tool', 'not in', names)
    .execute();
