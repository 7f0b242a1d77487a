import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { auditIdAt } from '../record/audit-id-time.ts';
import type { ChainLink } from './chain-link.ts';
import { idsOf, readLinks, readOrigins } from './chain-reader.ts';
import type { SweptEnd } from './chain-sweep.ts';

/** Per origin, the last link that becomes obsolete when all records from before that time are deleted. */
export async function findSweptEnds(
  db: Kysely<Tables>,
  beforeMs: number,
): Promise<Record<string, SweptEnd>> {
  const beforeId = auditIdAt(beforeMs);
  const isObsolete = (link: ChainLink): boolean =>
    link.made_at_ms < beforeMs && idsOf(link).every((id) => id < beforeId);
  const ends: Record<string, SweptEnd> = {};
  for (const origin of await readOrigins(db)) {
    for await (const links of readLinks(db, origin)) {
      const firstKept = links.findIndex((link) => !isObsolete(link));
      const end = firstKept < 0 ? links.at(-1) : links[firstKept - 1];
      if (end) ends[origin] = { seq: end.seq, hash: end.hash };
      if (firstKept >= 0) break;
      await nextTurn();
    }
  }
  return ends;
}

/** Small enough that the embedded database, which runs on the event loop, does not noticeably delay a call. */
const LINKS_AT_ONCE = 500;

export async function deleteLinks(
  db: Kysely<Tables>,
  ends: Readonly<Record<string, SweptEnd>>,
): Promise<void> {
  for (const [origin, { seq }] of Object.entries(ends)) {
    for (;;) {
      const { numDeletedRows } = await runQuery(() =>
        db
          .deleteFrom('audit_links')
          .where('origin', '=', origin)
          .where('seq', 'in', (query) =>
            query
              .selectFrom('audit_links')
              .select('seq')
              .where('origin', '=', origin)
              .where('seq', '<=', seq)
              .orderBy('seq')
              .limit(LINKS_AT_ONCE),
          )
          .executeTakeFirst(),
      );
      if (numDeletedRows < BigInt(LINKS_AT_ONCE)) break;
      await nextTurn();
    }
  }
}
