import type { Insertable, Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { describeStores } from '../../../test/support/databases.ts';
import { openDatabase } from './database.ts';
import { GATEWAY_MIGRATIONS } from './migrations.ts';
import type { ApiKeysTable, Tables } from './tables.ts';

/** Creates the tables as they were before a migration. */
async function migrateBefore(db: Kysely<Tables>, next: string): Promise<void> {
  for (const [name, { up }] of Object.entries(GATEWAY_MIGRATIONS)) {
    if (name < next) await up(db);
  }
}

const REGISTRATION = {
  tenant_id: 'ten_1',
  visibility: 'private',
  status: 'registered',
  auth: '{"type":"none"}',
  credential_version: 1,
  version: 1,
  tool_count: 1,
  created_at_ms: 1,
  updated_at_ms: 1,
};

async function insertBefore(db: Kysely<Tables>, id: string, request: object): Promise<void> {
  const earlier = db as unknown as Kysely<Record<string, Record<string, unknown>>>;
  const names = { name: id, name_key: id, slug: id };
  const base_url = 'https://api.example.com/v1';
  await earlier
    .insertInto('registrations')
    .values({ ...REGISTRATION, ...names, id, base_url })
    .execute();
  const texts = { options: '{}', tools: '[]', report: '{}' };
  await earlier
    .insertInto('registration_versions')
    .values({
      registration_id: id,
      version: 1,
      document_id: `doc_${id}`,
      ...texts,
      created_at_ms: 1,
    })
    .execute();
  await earlier
    .insertInto('registration_jobs')
    .values({
      id: `job_${id}`,
      tenant_id: 'ten_1',
      api_key_id: 'key_1',
      state: 'registered',
      attempt: 1,
      name: id,
      name_key: id,
      is_dry_run: 0,
      request: JSON.stringify(request),
      registration_id: id,
      created_at_ms: 1,
      updated_at_ms: 1,
    })
    .execute();
}

describeStores('the migration to versions of registrations', (backend) => {
  it('gives the versions of earlier registrations their addresses', async () => {
    const place = await backend.makeEmptyPlace();
    const { db, close } = openDatabase(place);
    try {
      await migrateBefore(db, '0011-registration-versions');
      const tenant = { id: 'ten_1', slug: 'ours', name: 'Ours', created_at_ms: 1 };
      await db.insertInto('tenants').values(tenant).execute();
      await insertBefore(db, 'by_url', { url: 'https://example.com/openapi.json' });
      await insertBefore(db, 'by_text', { url: null });
      await GATEWAY_MIGRATIONS['0011-registration-versions']?.up(db);
      const versions = await db
        .selectFrom('registration_versions')
        .select(['registration_id', 'base_url', 'origins', 'descriptions', 'spec_url'])
        .orderBy('registration_id')
        .execute();
      const common = {
        base_url: 'https://api.example.com/v1',
        origins: '["https://api.example.com"]',
        descriptions: '{}',
      };
      expect(versions).toEqual([
        { registration_id: 'by_text', ...common, spec_url: null },
        { registration_id: 'by_url', ...common, spec_url: 'https://example.com/openapi.json' },
      ]);
      const registrations = await db
        .selectFrom('registrations')
        .select(['pending_version', 'revision'])
        .execute();
      expect(registrations).toEqual(Array(2).fill({ pending_version: null, revision: 1 }));
    } finally {
      await close();
      await place.remove();
    }
  });
});

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
    const place = await backend.makeEmptyPlace();
    const database = openDatabase(place);
    try {
      const { db } = database;
      await migrateBefore(db, '0023-operator-rate-limit');
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
      await GATEWAY_MIGRATIONS['0023-operator-rate-limit']?.up(db);
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
