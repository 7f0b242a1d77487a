import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/**
 * People, their sessions, memberships and invitations. The columns of `people_*` are those that better-auth 1.7 generates;
 * `is_operator` and what follows is the gateway's own. SQLite stores a `timestamptz` as the text that it is given.
 */
export async function up(db: Kysely<Tables>): Promise<void> {
  await createPeople(db);
  await createVerifications(db);
  await createMemberships(db);
  await createInvitations(db);
  await db.schema
    .createTable('session_secrets')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('secret', 'text', (column) => column.notNull())
    .execute();
  for (const column of ['action', 'actor']) {
    await db.schema
      .createIndex(`admin_events_${column}`)
      .on('admin_events')
      .columns([column, 'id'])
      .execute();
  }
  await db.insertInto('changes').values({ topic: 'people', version: 0 }).execute();
}

const withTimes = <Name extends string>(
  table: CreateTableBuilder<Name, string>,
): CreateTableBuilder<Name, string> =>
  table
    .addColumn('created_at', 'timestamptz', (column) =>
      column.notNull().defaultTo(sql`current_timestamp`),
    )
    .addColumn('updated_at', 'timestamptz', (column) =>
      column.notNull().defaultTo(sql`current_timestamp`),
    );

async function createPeople(db: Kysely<Tables>): Promise<void> {
  await withTimes(
    db.schema
      .createTable('people_users')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('email', 'text', (column) => column.notNull().unique())
      .addColumn('email_verified', 'boolean', (column) => column.notNull())
      .addColumn('image', 'text')
      .addColumn('is_operator', 'integer', (column) => column.notNull().defaultTo(0)),
  ).execute();
  await withTimes(
    db.schema
      .createTable('people_sessions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .addColumn('token', 'text', (column) => column.notNull().unique())
      .addColumn('ip_address', 'text')
      .addColumn('user_agent', 'text')
      .addColumn('user_id', 'text', (column) =>
        column.notNull().references('people_users.id').onDelete('cascade'),
      ),
  ).execute();
  await withTimes(
    db.schema
      .createTable('people_accounts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('provider_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) =>
        column.notNull().references('people_users.id').onDelete('cascade'),
      )
      .addColumn('access_token', 'text')
      .addColumn('refresh_token', 'text')
      .addColumn('id_token', 'text')
      .addColumn('access_token_expires_at', 'timestamptz')
      .addColumn('refresh_token_expires_at', 'timestamptz')
      .addColumn('scope', 'text')
      .addColumn('password', 'text'),
  ).execute();
  for (const table of ['people_sessions', 'people_accounts']) {
    await db.schema.createIndex(`${table}_user_id_idx`).on(table).column('user_id').execute();
  }
}

async function createVerifications(db: Kysely<Tables>): Promise<void> {
  await withTimes(
    db.schema
      .createTable('people_verifications')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('identifier', 'text', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull()),
  ).execute();
  await db.schema
    .createIndex('people_verifications_identifier_idx')
    .on('people_verifications')
    .column('identifier')
    .execute();
}

async function createMemberships(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('memberships')
    .addColumn('person_id', 'text', (column) =>
      column.notNull().references('people_users.id').onDelete('cascade'),
    )
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('memberships_key', ['person_id', 'tenant_id'])
    .execute();
  await db.schema
    .createIndex('memberships_tenant')
    .on('memberships')
    .columns(['tenant_id', 'person_id'])
    .execute();
}

async function createInvitations(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('invitations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('invited_by', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('invitations_email', ['tenant_id', 'email'])
    .execute();
  await db.schema.createIndex('invitations_of_email').on('invitations').column('email').execute();
}
