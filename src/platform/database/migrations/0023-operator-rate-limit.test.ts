import type { Insertable, Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { describeStores } from '../../../../test/support/databases.ts';
import { openDatabase } from '../database.ts';
import { GATEWAY_MIGRATIONS } from '../migrations.ts';
import type { ApiKeysTable, Tables } from '../tables.ts';

const NAME = '0023-operator-rate-limit';

/** The tables as they were before. */
async function migrateBefore(db: Kysely<Tables>): Promise<void> {
  for (const [name, { up }] of Object.entries(GATEWAY_MIGRATIONS)) {
    if (name < NAME) await up(db);
  }
}

const KEY = { tenant_id: 'ten_1', name: 'key', prefix: 'tg_live_', created_at_ms: 1 };

const KEYS: readonly (Partial<Insertable<ApiKeysTable>> & { id: string })[] = [
  { id: 'of-cli', owner: 'cli', rate_limit_per_minute: 5000 },
  { id: 'of-cli-without', owner: 'cli' },
  { id: 'of-cli-changed', owner: 'cli', rate_limit_per_minute: 5000, revision: 2 },
  { id: 'of-cli-rotated', owner: 'cli', rate_limit_per_minute: 5000, rotated_from: 'x' },
  { id: 'of-admin', owner: 'person_1', rate_limit_per_minute: 5000 },
  { id: 'of-unknown', rate_limit_per_minute: 5000 },
];

describeStores('limits that operators gave before', (backend) => {
  it('are remembered where it is certain that the command line gave them', async () => {
    const place = await backend.makePlace();
    const database = openDatabase(place);
    try {
      const { db } = database;
      await migrateBefore(db);
      await db
        .insertInto('tenants')
        .values({ id: 'ten_1', slug: 'one', name: 'One', created_at_ms: 1 })
        .execute();
      for (const key of KEYS) {
        await db
          .insertInto('api_keys')
          .values({ ...KEY, hash: key.id, ...key })
          .execute();
      }
      await GATEWAY_MIGRATIONS[NAME]?.up(db);
      const rows = await db.selectFrom('api_keys').select(['id', 'operator_rate_limit']).execute();
      expect(Object.fromEntries(rows.map((row) => [row.id, row.operator_rate_limit]))).toEqual({
        'of-cli': 5000,
        'of-cli-without': null,
        'of-cli-changed': null,
        'of-cli-rotated': null,
        'of-admin': null,
        'of-unknown': null,
      });
    } finally {
      await database.close();
      await place.remove();
    }
  });
});
