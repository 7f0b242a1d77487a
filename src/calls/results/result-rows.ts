import { sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createResultRoom, type ResultRoomDeps } from './result-room.ts';

/** How long a result is kept. */
const LIFETIME_MS = 3_600_000;
/** What a row costs beside the pieces: its names, its place in the index. */
const ROW_BYTES = 500;

export type StoredResult = Omit<Tables['results'], 'columns'> & { readonly columns: string };

export type ResultRows = ReturnType<typeof createResultRows>;

/** The tables of results. Every method rejects with `unavailable` while the database is away. */
export const createResultRows = (deps: ResultRoomDeps) => ({
  ...createReading(deps),
  ...createWriting(deps),
});

const expiryOf = ({ clock }: ResultRoomDeps): number => Math.round(clock.now() + LIFETIME_MS);

/** Complete results that have not expired. */
function createReading(deps: ResultRoomDeps) {
  const { db, clock } = deps;
  return {
    find: (id: string): Promise<StoredResult | undefined> =>
      runQuery(() =>
        db
          .selectFrom('results')
          .selectAll()
          .where('id', '=', id)
          .where('expires_at_ms', '>', Math.round(clock.now()))
          .executeTakeFirst(),
      ).then(completed),

    /** Finds a result, and keeps it for another hour. */
    renew: (id: string): Promise<StoredResult | undefined> =>
      runQuery(() =>
        db
          .updateTable('results')
          .set({ expires_at_ms: expiryOf(deps) })
          .where('id', '=', id)
          .where('columns', 'is not', null)
          .where('expires_at_ms', '>', Math.round(clock.now()))
          .returningAll()
          .executeTakeFirst(),
      ).then(completed),

    readPiece: (id: string, n: number): Promise<Uint8Array | undefined> =>
      runQuery(() =>
        db
          .selectFrom('result_pieces')
          .select('body')
          .where('result_id', '=', id)
          .where('n', '=', n)
          .executeTakeFirst(),
      ).then((row) => row?.body),
  };
}

const completed = (row: Tables['results'] | undefined): StoredResult | undefined =>
  row === undefined || row.columns === null ? undefined : { ...row, columns: row.columns };

/** Results while they are written, and the room for them. */
function createWriting(deps: ResultRoomDeps) {
  const { db, maxBytes } = deps;
  const { make: makeRoom, drop, sweep } = createResultRoom(deps);
  return {
    drop,
    sweep,

    /** Returns false if there is such an id. */
    async begin(result: { id: string; tenantId: string; tool: string; name: string }) {
      if (maxBytes === 0) throw new GatewayError('too_large', 'This gateway keeps no files.');
      await makeRoom(ROW_BYTES);
      const { id, tenantId: tenant_id, tool, name: file_name } = result;
      const row = { id, tenant_id, tool, file_name, columns: null, row_count: 0 };
      const { numInsertedOrUpdatedRows } = await runQuery(() =>
        db
          .insertInto('results')
          .values({ ...row, bytes: ROW_BYTES, expires_at_ms: expiryOf(deps) })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow(),
      );
      return Number(numInsertedOrUpdatedRows) > 0;
    },

    /** Rejects with `too_large` if the result had to make room meanwhile. */
    async addPiece(id: string, n: number, body: Buffer): Promise<void> {
      await makeRoom(body.length);
      await runQuery(() =>
        db.transaction().execute(async (trx) => {
          const { numUpdatedRows } = await trx
            .updateTable('results')
            .set({ bytes: sql`bytes + ${body.length}` })
            .where('id', '=', id)
            .where('expires_at_ms', '>', 0)
            .executeTakeFirst();
          if (Number(numUpdatedRows) === 0) throw new GatewayError('too_large', TOO_LARGE);
          await trx.insertInto('result_pieces').values({ result_id: id, n, body }).execute();
        }),
      );
    },

    /** Completes a result. Undefined if it had to make room meanwhile. */
    finish: (id: string, columns: string, rowCount: number): Promise<StoredResult | undefined> =>
      runQuery(() =>
        db
          .updateTable('results')
          .set({ columns, row_count: rowCount, expires_at_ms: expiryOf(deps) })
          .where('id', '=', id)
          .where('expires_at_ms', '>', 0)
          .returningAll()
          .executeTakeFirst(),
      ).then(completed),
  };
}

const TOO_LARGE = 'The rows take more room than there is for one file.';
