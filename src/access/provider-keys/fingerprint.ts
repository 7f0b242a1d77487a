import { createHmac, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { memoizeEach } from '../../platform/kernel/memo.ts';
import type { Secret } from '../../platform/kernel/secret.ts';

/** What identifies the value of a key, in the form in which it is sent. */
export type Fingerprint = (key: Secret) => string;

const SALT_BYTES = 32;
const SALT_ID = 1;
/** 128 bits: no two keys share one. */
const LENGTH = 32;

/**
 * Opens the fingerprints of provider keys: two copies of one key have the same one, in every process and after a change of
 * ENCRYPTION_KEY. Creates their salt in the database. Rejects with `unavailable` while that is away.
 */
export async function openFingerprints(db: Kysely<Tables>): Promise<Fingerprint> {
  const salt = (await readSalt(db)) ?? (await createSalt(db));
  return memoizeEach((key: Secret): string =>
    createHmac('sha256', salt).update(key.reveal()).digest('hex').slice(0, LENGTH),
  );
}

const readSalt = async (db: Kysely<Tables>): Promise<string | undefined> =>
  (await runQuery(() => db.selectFrom('provider_key_salt').select('salt').executeTakeFirst()))
    ?.salt;

/** Another process may create one at the same time: the first counts. */
async function createSalt(db: Kysely<Tables>): Promise<string> {
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  await runQuery(() =>
    db
      .insertInto('provider_key_salt')
      .values({ id: SALT_ID, salt })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
  return (await readSalt(db)) ?? salt;
}
