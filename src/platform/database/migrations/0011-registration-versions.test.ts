import type { Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { describeStores } from '../../../../test/support/databases.ts';
import { openDatabase } from '../database.ts';
import { GATEWAY_MIGRATIONS } from '../migrations.ts';
import type { Tables } from '../tables.ts';

const NAME = '0011-registration-versions';

/** The tables as they were before. */
async function migrateBefore(db: Kysely<Tables>): Promise<void> {
  for (const [name, { up }] of Object.entries(GATEWAY_MIGRATIONS)) {
    if (name < NAME) await up(db);
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
    const place = await backend.makePlace();
    const { db, close } = openDatabase(place);
    try {
      await migrateBefore(db);
      const tenant = { id: 'ten_1', slug: 'ours', name: 'Ours', created_at_ms: 1 };
      await db.insertInto('tenants').values(tenant).execute();
      await insertBefore(db, 'by_url', { url: 'https://example.com/openapi.json' });
      await insertBefore(db, 'by_text', { url: null });
      await GATEWAY_MIGRATIONS[NAME]?.up(db);
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
