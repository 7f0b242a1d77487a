import type { Kysely } from 'kysely';
import { Type } from 'typebox';
import type { Tables } from '../../platform/database/tables.ts';
import { operatorOperation, tenantOperation } from '../../platform/input/operation.ts';
import {
  list,
  NEXT_CURSOR,
  orNull,
  PAGE,
  recordOf,
  TEXT,
  TIME,
} from '../../platform/input/schema.ts';
import { listTrail } from './admin-trail.ts';

/** Members of a query that narrow which entries are read. */
export const TRAIL_FILTER = {
  action: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only this action, such as `key.created`.' }),
  ),
  actor: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only by this person, API key, or `cli`.' }),
  ),
  subject: Type.Optional(
    Type.String({ maxLength: 300, description: 'Only changes to this, such as the id of a key.' }),
  ),
};

const ENTRY = Type.Object(
  {
    id: TEXT,
    timestamp: TIME,
    tenantId: orNull(TEXT),
    tenantSlug: orNull(TEXT),
    actor: TEXT,
    actorEmail: orNull(TEXT),
    action: TEXT,
    subjectId: TEXT,
    subjectEmail: orNull(TEXT),
    details: recordOf<Readonly<Record<string, unknown>>>('What was changed. It has no secret.'),
  },
  { $id: 'TrailEntry' },
);

const ENTRIES = Type.Object({ entries: list(ENTRY), nextCursor: NEXT_CURSOR });

/** The log of administrative changes: of a tenant for its admins, of the gateway for operators. */
export const createTrailOperations = ({ db }: { readonly db: Kysely<Tables> }) => ({
  'GET /tenants/:tenant/trail': tenantOperation('admin', {
    name: 'trail list',
    summary: 'List the administrative changes to a tenant, newest first.',
    input: {
      ...PAGE,
      ...TRAIL_FILTER,
      gateway: Type.Optional(
        Type.Boolean({
          description: 'Also the changes to the whole gateway, which only operators see.',
        }),
      ),
    },
    output: ENTRIES,
    handle: ({ tenant, actor }, { cursor, limit, gateway, ...filter }) =>
      listTrail(
        db,
        { ...filter, tenantId: tenant.id, gateway: gateway && actor.isOperator },
        { cursor, limit },
      ),
  }),
  'GET /trail': operatorOperation({
    name: 'gateway trail',
    summary: 'List the administrative changes to the whole gateway, newest first.',
    input: { ...PAGE, ...TRAIL_FILTER },
    output: ENTRIES,
    handle: (_context, { cursor, limit, ...filter }) => listTrail(db, filter, { cursor, limit }),
  }),
});
