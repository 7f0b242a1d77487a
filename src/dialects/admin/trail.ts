import type { Kysely } from 'kysely';
import { type Static, Type } from 'typebox';
import { listTrail, type TrailEntry, type TrailFilter } from '../../access/trail/trail-page.ts';
import { createExportSlots, type ExportSlots } from '../../audit/reading/export-slots.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { csvRow } from '../../platform/kernel/csv-row.ts';
import { isoTime } from '../../platform/kernel/iso-time.ts';
import { AdminFile } from './admin-file.ts';
import { operatorRoute, tenantRoute } from './admin-route.ts';
import { PAGE_INPUT } from './page-input.ts';

const FILTER_INPUT = {
  action: Type.Optional(Type.String({ maxLength: 100 })),
  actor: Type.Optional(Type.String({ maxLength: 100 })),
};
const EXPORT_INPUT = {
  ...FILTER_INPUT,
  format: Type.Union([Type.Literal('csv'), Type.Literal('ndjson')]),
};
type Format = Static<typeof EXPORT_INPUT.format>;

/** The administrative trail: of a tenant for its admins, of the gateway for operators. */
export const createTrailRoutes = ({ db }: { readonly db: Kysely<Tables> }) => {
  const deps = { db, slots: createExportSlots() };
  return {
    'GET /tenants/:tenant/trail': tenantRoute('admin', {
      input: { ...PAGE_INPUT, ...FILTER_INPUT },
      handle: ({ tenant }, { cursor, limit, ...filter }) =>
        readPage(db, { ...filter, tenantId: tenant.id }, { cursor, limit }),
    }),
    'GET /tenants/:tenant/trail/export': tenantRoute('admin', {
      input: EXPORT_INPUT,
      handle: ({ tenant }, { format, ...filter }) =>
        exportTrail(deps, { ...filter, tenantId: tenant.id }, format),
    }),
    'GET /trail': operatorRoute({
      input: { ...PAGE_INPUT, ...FILTER_INPUT },
      handle: (_context, { cursor, limit, ...filter }) => readPage(db, filter, { cursor, limit }),
    }),
    'GET /trail/export': operatorRoute({
      input: EXPORT_INPUT,
      handle: (_context, { format, ...filter }) => exportTrail(deps, filter, format),
    }),
  };
};

async function readPage(
  db: Kysely<Tables>,
  filter: TrailFilter,
  page: { cursor?: string | undefined; limit: number },
) {
  const { entries, nextCursor } = await listTrail(db, filter, page);
  return { entries: entries.map(toListed), nextCursor };
}

const toListed = ({ timestampMs, details, ...entry }: TrailEntry) => ({
  ...entry,
  timestamp: isoTime(timestampMs),
  details: details as Record<string, unknown>,
});

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
    const page = await readPage(db, filter, { cursor, limit: EXPORT_PAGE });
    yield Buffer.from(page.entries.map((entry) => encode(entry, format)).join(''));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

const encode = (entry: ReturnType<typeof toListed>, format: Format): string =>
  format === 'csv'
    ? csvRow(
        COLUMNS.map((column) =>
          column === 'details' ? JSON.stringify(entry.details) : (entry[column] ?? ''),
        ),
      )
    : `${JSON.stringify(entry)}\n`;
