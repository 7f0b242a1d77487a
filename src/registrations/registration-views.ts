import { type Static, Type } from 'typebox';
import { INTEGER, list, orNull, recordOf, TEXT, TIME } from '../platform/input/schema.ts';
import { withoutQuery } from '../platform/kernel/addresses.ts';
import { isoTime } from '../platform/kernel/time.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import type { ApiReport } from '../tools/report/create-report.ts';
import type { Refreshed } from './refresh/refresh-registration.ts';
import type { VersionOptions } from './request/registration-request.ts';
import type { FoundRows } from './store/found-rows.ts';
import type { JobRecord, JobState } from './store/job-record.ts';
import { type RegistrationRecord, toolIdsOf } from './store/registration-record.ts';
import type { HistoryEntry } from './store/run-change.ts';
import { rowsOfTool, TOOL_ROWS } from './tool-rows.ts';

/** Its members are not listed. */
const FREE_OBJECT = Type.Unsafe<object>({ type: 'object' });

/** How far a job is in each state, from 0 to 1. */
const PROGRESS: Readonly<Record<JobState, number>> = {
  queued: 0,
  fetching: 0.1,
  validating: 0.4,
  converting: 0.8,
  registered: 1,
  failed: 1,
  confirmation_required: 1,
  checked: 1,
};

export type JobView = Readonly<ReturnType<typeof toJobView>>;

type ShownJob = Pick<
  JobRecord,
  'id' | 'state' | 'name' | 'createdAtMs' | 'updatedAtMs' | 'error' | 'origins' | 'registrationId'
> & { readonly report?: JobRecord['report'] };

/**
 * A job as clients and people see it (docs/contract.md#registration). `registration` is what it registered; undefined if
 * nothing, or if it was deleted since.
 */
export const toJobView = (job: ShownJob, registration?: RegistrationRecord) => ({
  job_id: job.id,
  jobId: job.id,
  status: job.state,
  name: job.name,
  progress: PROGRESS[job.state],
  ...timesOf(job),
  error: job.error,
  origins: job.origins,
  // As `createReport` made it, perhaps in an earlier release.
  report: (job.report ?? null) as ApiReport | null,
  toolIds: job.state === 'registered' && registration ? toolIdsOf(registration) : [],
  registrationId: job.registrationId,
});

/** Bytes of the report and of the tool ids in an event, each in JSON. Beyond it, the status of the job has them. */
const MAX_PART_BYTES = 64 * 1024;

/** The data of the event `byoapi` (docs/contract.md#server-sent-events). */
export function jobEventOf(view: JobView) {
  const { jobId, status, report, toolIds } = view;
  return { jobId, status, job: { ...view, report: ifSmall(report), toolIds: ifSmall(toolIds) } };
}

const ifSmall = <T>(value: T): T | null =>
  Buffer.byteLength(JSON.stringify(value)) > MAX_PART_BYTES ? null : value;

/** A registration as clients see it, in lists and after a change: never a credential (docs/contract.md#registration). */
export const REGISTRATION_VIEW = Type.Object(
  {
    id: TEXT,
    tenant: Type.String({ description: 'Slug of its tenant.' }),
    name: TEXT,
    slug: Type.String({ description: 'Part of the ids of its tools.' }),
    baseUrl: TEXT,
    category: orNull(TEXT),
    description: orNull(TEXT),
    auth: Type.Object(
      { type: TEXT, set: Type.Boolean({ description: 'Whether a credential is stored.' }) },
      {
        $id: 'StoredAuth',
        description: 'How the gateway authenticates. A credential is never returned.',
      },
    ),
    toolIds: list(TEXT),
    revision: Type.Integer({
      description: 'Names what was seen: a change that names another one is refused.',
    }),
    createdAt: TIME,
    updatedAt: TIME,
    calls: Type.Optional(
      Type.Integer({
        description: 'Calls of the tenant within the last 24 hours; in the list of a tenant only.',
      }),
    ),
    failures: Type.Optional(INTEGER),
  },
  { $id: 'Registration' },
);

export type RegistrationView = Static<typeof REGISTRATION_VIEW>;

export function toRegistrationView(registration: RegistrationRecord): RegistrationView {
  const { id, name, slug, baseUrl, about, revision } = registration;
  const { category = null, description = null } = about;
  const { type } = registration.scheme;
  return {
    ...{ id, tenant: registration.tenantSlug, name, slug, baseUrl, category, description },
    auth: { type, set: type !== 'none' },
    toolIds: toolIdsOf(registration),
    revision,
    ...timesOf(registration),
  };
}

/** Where a description comes from. */
type ShownSource =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'text' };

/** One registration by itself. In lists, this would be too much. */
export const SHOWN_REGISTRATION = Type.Object(
  {
    ...REGISTRATION_VIEW.properties,
    source: recordOf<ShownSource>('Where the description comes from, without its query.'),
    options: recordOf<Omit<VersionOptions, 'extensions'>>(
      'What it is compiled with: `baseUrl`, `include` and `exclude`.',
    ),
    extensions: list(
      Type.Object(
        { operation: orNull(TEXT), extension: TEXT, value: Type.Unknown() },
        { $id: 'RegisteredExtension' },
      ),
    ),
    origins: Type.Unsafe<readonly string[]>({
      ...list(TEXT),
      description: 'Origins that get the credential.',
    }),
    tools: list(
      Type.Object(
        {
          id: TEXT,
          name: TEXT,
          ownText: orNull(
            Type.String({
              description: 'What was written in place of the text of the description.',
            }),
          ),
          description: orNull(Type.String({ description: 'Null while the tool is not served.' })),
          method: orNull(TEXT),
          path: orNull(TEXT),
          rows: orNull(TOOL_ROWS),
        },
        { $id: 'RegisteredTool' },
      ),
    ),
    history: list(
      recordOf<Omit<HistoryEntry, 'timestampMs'> & { readonly at: string }>(
        'A change, newest first: `at`, `actor`, `action` and `details`.',
      ),
    ),
  },
  { $id: 'ShownRegistration' },
);

/** What the catalog knows of a tool; undefined while the tool is not served. */
export type FindTool = (id: string) => Pick<CatalogEntry, 'description' | 'tool'> | undefined;

interface ShownParts {
  readonly history: readonly HistoryEntry[];
  /** By the names of tools. */
  readonly found: ReadonlyMap<string, FoundRows>;
  readonly findTool: FindTool;
}

export function toShownRegistration(
  registration: RegistrationRecord,
  { history, found, findTool }: ShownParts,
): Static<typeof SHOWN_REGISTRATION> {
  const { descriptionUrl, origins, descriptions } = registration;
  const { extensions = [], ...options } = registration.options;
  const ids = toolIdsOf(registration);
  const texts = new Map(Object.entries(descriptions));
  return {
    ...toRegistrationView(registration),
    source: sourceOf(descriptionUrl),
    options,
    extensions: extensions.map((each) => ({ ...each })),
    origins,
    tools: registration.tools.map(({ name, compiled }, at) => {
      const id = ids[at] ?? name;
      const { description = null, tool } = findTool(id) ?? {};
      return {
        ...{ id, name, ownText: texts.get(compiled) ?? null, description },
        method: tool?.method ?? null,
        path: tool?.path ?? null,
        rows: rowsOfTool(tool, found.get(name), extensions),
      };
    }),
    history: history.map(({ timestampMs, ...entry }) => ({ ...entry, at: isoTime(timestampMs) })),
  };
}

export const DELETED_VIEW = Type.Object(
  { deleted: REGISTRATION_VIEW, message: TEXT },
  { $id: 'DeletedRegistration' },
);

export function toDeletedView(deleted: RegistrationView): Static<typeof DELETED_VIEW> {
  const { name, toolIds } = deleted;
  const tools = toolIds.length === 1 ? 'its tool' : `all ${toolIds.length} tools`;
  return { deleted, message: `Deleted the API "${name}" with ${tools}.` };
}

const timesOf = ({ createdAtMs, updatedAtMs }: Pick<JobRecord, 'createdAtMs' | 'updatedAtMs'>) => ({
  createdAt: isoTime(createdAtMs),
  updatedAt: isoTime(updatedAtMs),
});

/** The report of a job or of a refresh. */
export const REPORT_VIEW = Type.Object(
  {
    score: INTEGER,
    scoreParts: FREE_OBJECT,
    tools: INTEGER,
    tokens: INTEGER,
    tags: list(TEXT),
    operations: list(FREE_OBJECT),
    warnings: list(FREE_OBJECT),
  },
  { $id: 'RegistrationReport', description: 'What became of each operation.' },
);

/** What a refresh came to, as clients see it (docs/contract.md#registration). */
export const REFRESH_VIEW = Type.Unsafe<ReturnType<typeof toRefreshView>>(
  Type.Object(
    {
      outcome: Type.Enum(['unchanged', 'updated', 'checked', 'confirmation_required']),
      changes: Type.Object(
        {
          added: list(TEXT),
          removed: list(TEXT),
          changed: list(
            Type.Object(
              {
                tool: TEXT,
                parts: list(Type.Enum(['description', 'parameters', 'request', 'origin'])),
              },
              { $id: 'ToolChange' },
            ),
          ),
        },
        { $id: 'RefreshChanges' },
      ),
      origins: Type.Object({ before: list(TEXT), after: list(TEXT) }, { $id: 'RefreshOrigins' }),
      report: REPORT_VIEW,
      registration: REGISTRATION_VIEW,
    },
    { $id: 'Refresh' },
  ),
);

export const toRefreshView = ({ registration, ...refreshed }: Refreshed) => ({
  ...refreshed,
  registration: toRegistrationView(registration),
});

function sourceOf(descriptionUrl: string | null): ShownSource {
  if (descriptionUrl === null) return { kind: 'text' };
  return { kind: 'address', address: withoutQuery(descriptionUrl) };
}
