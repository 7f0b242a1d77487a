import type { Kysely } from 'kysely';
import { Type } from 'typebox';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { operatorOperation } from '../../platform/input/operation.ts';
import { list, NOTHING, TEXT, TIME } from '../../platform/input/schema.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newClientSecret, newOAuthClientId } from '../../platform/kernel/ids.ts';
import { type Clock, isoTime } from '../../platform/kernel/time.ts';
import { digestOf } from '../keys/api-key-record.ts';
import { type AdminEntry, appendAdminEntry } from '../trail/admin-trail.ts';
import { MAX_CLIENT_NAME, MAX_REDIRECTS, type OAuthClient } from './oauth-clients.ts';
import { checkRedirect, MAX_REDIRECT } from './redirects.ts';

export interface ClientOperationsDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
}

/** Clients that operators have created. */
export const MAX_CLIENTS = 1000;

const CLIENT_ID = Type.String({ maxLength: 100, description: 'Id of the client.' });

const CLIENT = Type.Object(
  {
    id: TEXT,
    name: TEXT,
    redirects: list(TEXT),
    isPublic: Type.Boolean({ description: 'Whether it has no secret.' }),
    createdAt: TIME,
  },
  { $id: 'OAuthClient' },
);

/** Programs that an operator sets up, for hosts that ask for an id and a secret. */
export const createClientOperations = (deps: ClientOperationsDeps) => ({
  ...readOperations(deps),
  ...changeOperations(deps),
});

const readOperations = ({ db }: ClientOperationsDeps) => ({
  'GET /oauth-clients': operatorOperation({
    name: 'oauth-clients list',
    summary: 'List the clients that operators have created for sign-in from hosts.',
    input: {},
    output: Type.Object({ clients: list(CLIENT) }),
    handle: async () => {
      const rows = await runQuery(() =>
        db.selectFrom('oauth_clients').selectAll().orderBy('id').limit(MAX_CLIENTS).execute(),
      );
      return {
        clients: rows.map((row) => ({
          id: row.id,
          name: row.name,
          redirects: JSON.parse(row.redirects),
          isPublic: row.secret_digest === null,
          createdAt: isoTime(row.created_at_ms),
        })),
      };
    },
  }),
});

const changeOperations = (deps: ClientOperationsDeps) => ({
  'POST /oauth-clients': operatorOperation({
    name: 'oauth-clients create',
    summary: 'Create a client for sign-in from hosts. The response has its secret, this one time.',
    input: {
      name: Type.String({
        minLength: 1,
        maxLength: MAX_CLIENT_NAME,
        description: 'What people see.',
      }),
      redirects: Type.Array(Type.String({ maxLength: MAX_REDIRECT }), {
        minItems: 1,
        maxItems: MAX_REDIRECTS,
        description: 'Where the host takes codes, exactly as it sends it.',
      }),
      isPublic: Type.Boolean({
        default: false,
        description: 'It cannot keep a secret, and gets none.',
      }),
    },
    output: Type.Object({ id: TEXT, secret: Type.Optional(TEXT) }),
    example: { name: 'Company chat', redirects: ['https://chat.example.com/callback'] },
    returnsSecret: true,
    handle: async ({ actor }, { name, redirects, isPublic }) => {
      const secret = isPublic ? undefined : newClientSecret();
      const id = newOAuthClientId();
      const row = {
        id,
        name: name.trim(),
        redirects: JSON.stringify(redirects.map(checkRedirect)),
        secret_digest: secret === undefined ? null : digestOf(secret),
        created_at_ms: deps.clock.now(),
      };
      const entry = { actor: actor.id, action: 'oauth_client.created', subjectId: id } as const;
      await change(deps, entry, async (transaction) => {
        const { count } = await transaction
          .selectFrom('oauth_clients')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        if (Number(count) >= MAX_CLIENTS) {
          throw new GatewayError('conflict', `There are ${MAX_CLIENTS} clients. Delete one first.`);
        }
        await transaction.insertInto('oauth_clients').values(row).execute();
        return { name: row.name };
      });
      return { id, ...(secret !== undefined && { secret }) };
    },
  }),
  'DELETE /oauth-clients/:id': operatorOperation({
    name: 'oauth-clients delete',
    summary: 'Delete a client for sign-in from hosts. It gets no more tokens.',
    input: { id: CLIENT_ID },
    output: NOTHING,
    handle: async ({ actor }, { id }) => {
      const entry = { actor: actor.id, action: 'oauth_client.deleted', subjectId: id } as const;
      return change(deps, entry, async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('oauth_clients')
          .where('id', '=', id)
          .executeTakeFirst();
        if (numDeletedRows === 0n) throw new GatewayError('not_found', 'There is no such client.');
        return {};
      });
    },
  }),
});

/** Makes a change, and enters it in the trail with the details that it returns. */
const change = (
  { db, clock }: ClientOperationsDeps,
  entry: Pick<AdminEntry, 'actor' | 'action' | 'subjectId'>,
  work: (db: Kysely<Tables>) => Promise<AdminEntry['details']>,
): Promise<void> =>
  runQuery(() =>
    db.transaction().execute(async (transaction) => {
      const details = await work(transaction);
      const timestampMs = clock.now();
      await appendAdminEntry(transaction, { ...entry, timestampMs, tenantId: null, details });
    }),
  );

/** A client that an operator has created; undefined for any other id. */
export async function findCreatedClient(
  db: Kysely<Tables>,
  id: string,
): Promise<OAuthClient | undefined> {
  const row = await runQuery(() =>
    db.selectFrom('oauth_clients').selectAll().where('id', '=', id).executeTakeFirst(),
  );
  return (
    row && {
      key: row.id,
      name: row.name,
      identity: { kind: 'operator' },
      redirectUris: JSON.parse(row.redirects),
      methods: row.secret_digest === null ? ['none'] : ['client_secret_basic'],
      secretDigest: row.secret_digest ?? undefined,
    }
  );
}
