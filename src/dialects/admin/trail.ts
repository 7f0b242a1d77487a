import type { Kysely } from 'kysely';
import { type Static, Type } from 'typebox';
import { listTrail, type TrailFilter } from '../../access/trail/admin-trail.ts';
import { TRAIL_FILTER } from '../../access/trail/operations.ts';
import { createExportSlots, type ExportSlots } from '../../audit/reading/encode-export.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { csvRow } from '../../platform/kernel/csv-row.ts';
import { AdminFile } from './admin-answers.ts';
import { operatorRoute, tenantRoute } from './admin-route.ts';

const EXPORT_INPUT = {
  ...TRAIL_FILTER,
  format: Type.Union([Type.Literal('csv'), Type.Literal('ndjson')]),
};
type Format = Static<typeof EXPORT_INPUT.format>;

/** The administrative trail as a file: of a tenant for its admins, of the gateway for operators. */
export const createTrailRoutes = ({ db }: { readonly db: Kysely<Tables> }) => {
  const deps = { db, slots: createExportSlots() };
  return {
    'GET /tenants/:tenant/trail/export': tenantRoute('admin', {
      input: EXPORT_INPUT,
      handle: ({ tenant }, { format, ...filter }) =>
        exportTrail(deps, { ...filter, tenantId: tenant.id }, format),
    }),
    'GET /trail/export': operatorRoute({
      input: EXPORT_INPUT,
      handle: (_context, { format, ...filter }) => exportTrail(deps, filter, format),
    }),
  };
};

const EXPORT_PAGE = 500;

/** Whose slots the exports of the whole gateway take. */
const WHOLE = '*';

const exportTrail = (
  { db, slots }: { readonly db: Kysely<Tables>; readonly slots: ExportSlots },
  filter: TrailFilter,
  format: Format,
): AdminFile =>
  new AdminFile({
    contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
    fileName: `trail.${format}`,
    chunks: slots.run(filter.tenantId ?? WHOLE, chunksOf(db, filter, format)),
  });

const COLUMNS = [
  'timestamp',
  'tenantSlug',
  'actor',
  'actorEmail',
  'action',
  'subjectId',
  'subjectEmail',
  'details',
] as const;

async function* chunksOf(
  db: Kysely<Tables>,
  filter: TrailFilter,
  format: Format,
): AsyncGenerator<Buffer> {
  if (format === 'csv') yield Buffer.from(csvRow(COLUMNS));
  let cursor: string | undefined;
  do {
    const page = await listTrail(db, filter, { cursor, limit: EXPORT_PAGE });
    yield Buffer.from(page.entries.map((entry) => encode(entry, format)).join(''));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

type Entry = Awaited<ReturnType<typeof listTrail>>['entries'][number];

const encode = (entry: Entry, format: Format): string =>
  format === 'csv'
    ? csvRow(
        COLUMNS.map((column) =>
          column === 'details' ? JSON.stringify(entry.details) : (entry[column] ?? ''),
        ),
      )
    : `${JSON.stringify(entry)}\n`;
