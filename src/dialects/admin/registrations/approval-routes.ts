import { Type } from 'typebox';
import { decodeCursor, encodeCursor } from '../../../registrations/registration-cursor.ts';
import type { Registrations } from '../../../registrations/registrations.ts';
import { readRegistrationId } from '../../../registrations/request/id-forms.ts';
import { cleanLine } from '../../../tools/compile/clean-text.ts';
import { AdminFile } from '../admin-file.ts';
import { type AdminRoutes, operatorRoute } from '../admin-route.ts';
import { ID, REVISION } from './registration-inputs.ts';

/** Characters of the reason that a tenant reads. */
const MAX_REASON_LENGTH = 500;

/** Entries on a page of the queue. */
const PAGE = 50;

/** What waits for the operator: public APIs of all tenants, and new versions of them. */
export const createApprovalRoutes = ({ reviews }: Pick<Registrations, 'reviews'>) =>
  ({
    'GET /approvals': operatorRoute({
      input: { cursor: Type.Optional(Type.String({ maxLength: 100 })) },
      handle: async (_context, { cursor }) => {
        const after = cursor === undefined ? undefined : decodeCursor(cursor);
        const found = await reviews.list({ after, limit: PAGE + 1 });
        const last = found.length > PAGE ? found[PAGE - 1] : undefined;
        return { waiting: found.slice(0, PAGE), nextCursor: last ? encodeCursor(last.id) : null };
      },
    }),
    'GET /approvals/:id': operatorRoute({
      input: ID,
      handle: (_context, { id }) => reviews.get(readRegistrationId(id)),
    }),
    'GET /approvals/:id/changes': operatorRoute({
      input: ID,
      handle: async (_context, { id }) => ({
        comparison: await reviews.changes(readRegistrationId(id)),
      }),
    }),
    'GET /approvals/:id/document': operatorRoute({
      input: ID,
      handle: async (_context, { id }) => {
        const document = await reviews.document(readRegistrationId(id));
        // Never a type that a browser shows: a stranger wrote it.
        const contentType = 'application/octet-stream';
        return new AdminFile({ contentType, fileName: `${id}.txt`, chunks: piecesOf(document) });
      },
    }),
    'POST /approvals/:id/approve': operatorRoute({
      input: { ...ID, ...REVISION },
      handle: ({ person }, { id, revision }) =>
        reviews.approve(person.id, readRegistrationId(id), { revision }),
    }),
    'POST /approvals/:id/reject': operatorRoute({
      input: { ...ID, ...REVISION, reason: Type.String({ maxLength: MAX_REASON_LENGTH }) },
      handle: ({ person }, { id, revision, reason }) => {
        const cleaned = cleanLine(reason, MAX_REASON_LENGTH);
        const decision = { revision, ...(cleaned !== '' && { reason: cleaned }) };
        return reviews.reject(person.id, readRegistrationId(id), decision);
      },
    }),
  }) satisfies AdminRoutes;

const PIECE_BYTES = 64 * 1024;

async function* piecesOf(document: Uint8Array): AsyncGenerator<Buffer> {
  for (let at = 0; at < document.length; at += PIECE_BYTES) {
    yield Buffer.from(document.subarray(at, at + PIECE_BYTES));
  }
}
