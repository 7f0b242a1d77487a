import { type Static, Type } from 'typebox';
import { list, orNull, TEXT, TIME } from '../platform/input/schema.ts';
import { withoutQuery } from '../platform/kernel/addresses.ts';
import { isoTime } from '../platform/kernel/time.ts';
import type { ApiReport } from '../tools/report/create-report.ts';
import type { Refreshed } from './refresh/refresh-registration.ts';
import type { HistoryEntry } from './store/history.ts';
import type { JobRecord, JobState } from './store/job-record.ts';
import { type RegistrationRecord, toolIdsOf } from './store/registration-record.ts';

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
  // As `createReport` made it, perhaps that of an earlier release.
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

/** A registration as clients see it: never a credential (docs/contract.md#registration). */
export const REGISTRATION_VIEW = Type.Object(
  {
    id: TEXT,
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
    createdAt: TIME,
    updatedAt: TIME,
  },
  { $id: 'Registration' },
);

export type RegistrationView = Static<typeof REGISTRATION_VIEW>;

export function toRegistrationView(registration: RegistrationRecord): RegistrationView {
  const { id, name, slug, baseUrl, category, description } = registration;
  const { type } = registration.scheme;
  return {
    ...{ id, name, slug, baseUrl, category, description },
    auth: { type, set: type !== 'none' },
    toolIds: toolIdsOf(registration),
    ...timesOf(registration),
  };
}

/** One registration by itself. In lists, the extensions would be too much. */
export const SHOWN_REGISTRATION = Type.Object(
  {
    ...REGISTRATION_VIEW.properties,
    extensions: list(
      Type.Object(
        { operation: orNull(TEXT), extension: TEXT, value: Type.Unknown() },
        { $id: 'RegisteredExtension' },
      ),
    ),
  },
  { $id: 'ShownRegistration' },
);

export const toShownRegistration = (
  registration: RegistrationRecord,
): Static<typeof SHOWN_REGISTRATION> => ({
  ...toRegistrationView(registration),
  extensions: (registration.options.extensions ?? []).map((each) => ({ ...each })),
});

/** A registration that is not seen from within its tenant. */
export const OWNED_REGISTRATION = Type.Object(
  { ...REGISTRATION_VIEW.properties, tenant: Type.String({ description: 'Slug of its tenant.' }) },
  { $id: 'OwnedRegistration' },
);

export const toOwnedView = (registration: RegistrationRecord) => ({
  ...toRegistrationView(registration),
  tenant: registration.tenantSlug,
});

const timesOf = ({ createdAtMs, updatedAtMs }: Pick<JobRecord, 'createdAtMs' | 'updatedAtMs'>) => ({
  createdAt: isoTime(createdAtMs),
  updatedAt: isoTime(updatedAtMs),
});

/** What a refresh came to, as clients see it (docs/contract.md#registration). */
export const toRefreshView = ({ registration, ...refreshed }: Refreshed) => ({
  ...refreshed,
  registration: toRegistrationView(registration),
});

/** A registration with everything that its page shows; never a credential. */
export function toRegistrationDetails(
  registration: RegistrationRecord,
  history: readonly HistoryEntry[],
) {
  const { revision, descriptionUrl, options, origins, descriptions } = registration;
  const ids = toolIdsOf(registration);
  const texts = new Map(Object.entries(descriptions));
  return {
    ...toOwnedView(registration),
    /** Names what was seen: a change that names another one is refused. */
    revision,
    source: sourceOf(descriptionUrl),
    options,
    /** Those that get the credential. */
    origins,
    /** `ownText` is what a person wrote in place of the description's text. */
    tools: registration.tools.map(({ name, compiled }, at) => ({
      id: ids[at] ?? name,
      name,
      ownText: texts.get(compiled) ?? null,
    })),
    history: history.map(({ timestampMs, ...entry }) => ({ ...entry, at: isoTime(timestampMs) })),
  };
}

/** Where a description comes from. */
type ShownSource =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'text' };

function sourceOf(descriptionUrl: string | null): ShownSource {
  if (descriptionUrl === null) return { kind: 'text' };
  return { kind: 'address', address: withoutQuery(descriptionUrl) };
}
