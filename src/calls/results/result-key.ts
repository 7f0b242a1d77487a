import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { lazily } from '../../platform/kernel/memo.ts';

const KEY_BYTES = 32;
const KEY_ROW = 1;

/** Of what names a result: 128 bits, then 64 bits that only the gateway can add for a tenant. */
const NAME_BYTES = 16;
const CHECK_BYTES = 8;

/** Makes and knows ids and signatures of results. Every replica has the same key. */
export type ResultKey = ReturnType<typeof createResultKey>;

export function createResultKey(key: string) {
  /** The purpose and the number of parts keep the messages of two uses apart. */
  const mac = (purpose: string, ...parts: readonly (string | number)[]): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([purpose, ...parts]))
      .digest();

  const checkOf = (name: Buffer, tenantId: string): Buffer =>
    mac('id', tenantId, name.toString('base64url')).subarray(0, CHECK_BYTES);

  const idOf = (name: Buffer, tenantId: string): string =>
    Buffer.concat([name, checkOf(name, tenantId)]).toString('base64url');

  const sign = (id: string, expiresSeconds: string): string =>
    mac('address', id, expiresSeconds).toString('base64url');

  return {
    /** The id of the result that answers a question of a tenant: the same for the same question. */
    idFor: (tenantId: string, question: string): string =>
      idOf(mac('question', tenantId, question).subarray(0, NAME_BYTES), tenantId),
    newId: (tenantId: string): string => idOf(randomBytes(NAME_BYTES), tenantId),
    /** Whether the gateway has made an id, and for this tenant. */
    isIdOf(id: string, tenantId: string): boolean {
      const name = Buffer.from(id, 'base64url').subarray(0, NAME_BYTES);
      return isSame(id, idOf(name, tenantId));
    },
    /** The signature of an address until a time in seconds since the epoch. */
    sign,
    isSigned: (id: string, expiresSeconds: string, signature: string): boolean =>
      isSame(signature, sign(id, expiresSeconds)),
  };
}

/** Compares without telling by its time where two texts differ. */
function isSame(some: string, other: string): boolean {
  const [a, b] = [Buffer.from(some), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Reads the key when it is first needed, and creates it in a new database. Rejects with `unavailable`. */
export const openResultKey = (db: Kysely<Tables>): (() => Promise<ResultKey>) =>
  lazily(async () => createResultKey((await readKey(db)) ?? (await createKey(db))));

const readKey = async (db: Kysely<Tables>): Promise<string | undefined> =>
  (await runQuery(() => db.selectFrom('result_key').select('key').executeTakeFirst()))?.key;

/** Another process may create one at the same time: the first counts. */
async function createKey(db: Kysely<Tables>): Promise<string> {
  const key = randomBytes(KEY_BYTES).toString('base64url');
  await runQuery(() =>
    db
      .insertInto('result_key')
      .values({ id: KEY_ROW, key })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
  return (await readKey(db)) ?? key;
}
