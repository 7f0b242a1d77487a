import type { Kysely, Selectable } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newProposalId } from '../../platform/kernel/ids.ts';
import type { ProposalDraft } from '../../tools/proposal.ts';
import { deleteDocuments, insertDocument, type PackedDocument } from './documents.ts';
import { MAX_PROPOSALS, PROPOSAL_MS } from './registration-bounds.ts';
import { inTransaction, type StoreDeps } from './store-deps.ts';

/** What is proposed for a description that is not registered yet. */
export interface ProposalRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly descriptionUrl: string | null;
  /** Null if there is nothing to register. */
  readonly documentId: string | null;
  readonly draft: ProposalDraft;
  readonly createdAtMs: number;
}

export interface ProposalKey {
  readonly id: string;
  readonly tenantId: string;
}

/** Rejects with `not_found` for a proposal that has expired, was registered or belongs to another tenant. */
export async function findProposal(
  { db, clock }: Pick<StoreDeps, 'db' | 'clock'>,
  { id, tenantId }: ProposalKey,
): Promise<ProposalRecord> {
  const row = await runQuery(() =>
    db
      .selectFrom('registration_proposals')
      .selectAll()
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId)
      .where('created_at_ms', '>', clock.now() - PROPOSAL_MS)
      .executeTakeFirst(),
  );
  if (row) return toRecord(row);
  throw new GatewayError(
    'not_found',
    'There is no proposal with this id. A proposal lives an hour, and ends when it is registered.',
  );
}

const toRecord = (row: Selectable<Tables['registration_proposals']>): ProposalRecord => ({
  id: row.id,
  tenantId: row.tenant_id,
  descriptionUrl: row.spec_url,
  documentId: row.document_id,
  draft: JSON.parse(row.draft),
  createdAtMs: row.created_at_ms,
});

/** Stores a proposal in place of the tenant's oldest beyond the bound, and deletes the expired proposals of all tenants. */
export function insertProposal(
  deps: StoreDeps,
  proposal: Pick<ProposalRecord, 'tenantId' | 'descriptionUrl' | 'draft'>,
  document: PackedDocument | null,
): Promise<ProposalRecord> {
  const { tenantId, descriptionUrl, draft } = proposal;
  return inTransaction(deps, async ({ db, clock }) => {
    if (document) await insertDocument(db, tenantId, document);
    const row = await db
      .insertInto('registration_proposals')
      .values({
        id: newProposalId(),
        tenant_id: tenantId,
        spec_url: descriptionUrl,
        document_id: document?.id ?? null,
        draft: JSON.stringify(draft),
        created_at_ms: clock.now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await sweepProposals(db, clock.now());
    const rows = await selectRows(db)
      .where('tenant_id', '=', tenantId)
      .orderBy('id', 'desc')
      .execute();
    await deleteRows(db, rows.slice(MAX_PROPOSALS));
    return toRecord(row);
  });
}

/** Stores what a call has shown of a proposal. Rejects with `not_found` like `findProposal`. */
export function changeDraft(
  deps: StoreDeps,
  { id, tenantId }: ProposalKey,
  change: (draft: ProposalDraft) => ProposalDraft,
): Promise<void> {
  return inTransaction(deps, async (inside) => {
    const row = inside.db
      .updateTable('registration_proposals')
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId);
    // Locks the row: two tests of one proposal may end at the same time.
    await row.set((set) => ({ draft: set.ref('draft') })).execute();
    const { draft } = await findProposal(inside, { id, tenantId });
    await row.set({ draft: JSON.stringify(change(draft)) }).execute();
  });
}

/** Deletes a proposal, whose description has another owner by now. */
export async function deleteProposal(
  db: Kysely<Tables>,
  { id, tenantId }: ProposalKey,
): Promise<void> {
  const rows = await selectRows(db)
    .where('id', '=', id)
    .where('tenant_id', '=', tenantId)
    .execute();
  await deleteRows(db, rows);
}

/** Deletes the proposals of all tenants that have expired. */
export async function sweepProposals(db: Kysely<Tables>, nowMs: number): Promise<void> {
  const old = selectRows(db).where('created_at_ms', '<=', nowMs - PROPOSAL_MS);
  await deleteRows(db, await old.limit(MAX_SWEPT).execute());
}

/** In one statement. */
const MAX_SWEPT = 500;

const selectRows = (db: Kysely<Tables>) =>
  db.selectFrom('registration_proposals').select(['id', 'document_id as documentId']);

async function deleteRows(
  db: Kysely<Tables>,
  rows: readonly Pick<ProposalRecord, 'id' | 'documentId'>[],
): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await db.deleteFrom('registration_proposals').where('id', 'in', ids).execute();
  await deleteDocuments(
    db,
    rows.flatMap(({ documentId }) => documentId ?? []),
  );
}
