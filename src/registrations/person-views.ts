import { isoTime } from '../platform/kernel/iso-time.ts';
import type { ApiReport } from '../tools/report/create-report.ts';
import { PROGRESS, type RegistrationView, toRegistrationView } from './registration-views.ts';
import type { JobError, JobRecord, JobState } from './store/job-record.ts';
import type { ListedJob } from './store/list-jobs.ts';
import type { HistoryEntry } from './store/registration-history.ts';
import {
  type RegistrationRecord,
  toolIdsOf,
  type VersionOptions,
} from './store/registration-record.ts';

/** A job in a list for people. */
export interface JobSummary {
  readonly id: string;
  readonly status: JobState;
  readonly name: string;
  /** 0 to 1. */
  readonly progress: number;
  readonly isDryRun: boolean;
  /** Id of the person or of the API key that asked for it. */
  readonly actor: string;
  readonly error: JobError | null;
  readonly registrationId: string | null;
  /** Whether its tools can be tried: a dry run whose description is kept. */
  readonly canBeTried: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A job with its report, and what it was asked for, without credentials. */
export interface JobDetails extends JobSummary {
  readonly origins: readonly string[];
  readonly report: ApiReport | null;
  readonly source: ShownSource;
  readonly authType: string;
  readonly options: JobRecord['request']['options'];
}

/** Where a description comes from. An address is shown without its query, which may contain a secret. */
export type ShownSource =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'text' };

export const toJobSummary = (job: ListedJob): JobSummary => ({
  id: job.id,
  status: job.state,
  name: job.name,
  progress: PROGRESS[job.state],
  isDryRun: job.isDryRun,
  actor: job.apiKeyId,
  error: job.error,
  registrationId: job.registrationId,
  canBeTried: job.state === 'checked' && job.documentId !== null,
  createdAt: isoTime(job.createdAtMs),
  updatedAt: isoTime(job.updatedAtMs),
});

export const toJobDetails = (job: JobRecord): JobDetails => ({
  ...toJobSummary(job),
  origins: job.origins,
  // As `createReport` made it, perhaps that of an earlier release.
  report: job.report as unknown as ApiReport | null,
  source: sourceOf(job.request.url),
  authType: job.request.scheme.type,
  options: job.request.options,
});

/** A registration with everything that its page shows; never a credential. */
export interface RegistrationDetails extends RegistrationView {
  /** Names what was seen: a change that names another one is refused. */
  readonly revision: number;
  readonly version: number;
  readonly source: ShownSource;
  readonly options: VersionOptions;
  /** Those that get the credential. */
  readonly origins: readonly string[];
  readonly tools: readonly {
    readonly id: string;
    readonly name: string;
    /** The text that a person wrote in place of the description's; null if none. */
    readonly ownText: string | null;
  }[];
  /** The version that waits for approval. */
  readonly waiting: { readonly version: number; readonly tools: readonly string[] } | null;
  readonly history: readonly (Omit<HistoryEntry, 'timestampMs'> & { readonly at: string })[];
}

export function toRegistrationDetails(
  current: RegistrationRecord,
  latest: RegistrationRecord,
  history: readonly HistoryEntry[],
): RegistrationDetails {
  const ids = toolIdsOf(latest);
  const texts = new Map(Object.entries(latest.descriptions));
  return {
    ...toRegistrationView(current),
    revision: current.revision,
    version: current.version,
    source: sourceOf(latest.sourceUrl),
    options: latest.options,
    origins: current.origins,
    tools: latest.tools.map(({ name, compiled }, at) => ({
      id: ids[at] ?? name,
      name,
      ownText: texts.get(compiled) ?? null,
    })),
    waiting: isWaiting(current)
      ? { version: latest.version, tools: latest.tools.map(({ name }) => name) }
      : null,
    history: history.map(({ timestampMs, ...entry }) => ({ ...entry, at: isoTime(timestampMs) })),
  };
}

export const isWaiting = ({ status, pendingVersion }: RegistrationRecord): boolean =>
  status === 'awaiting_approval' || pendingVersion !== null;

export function sourceOf(url: string | null): ShownSource {
  if (url === null) return { kind: 'text' };
  const { origin, pathname } = new URL(url);
  return { kind: 'address', address: `${origin}${pathname}` };
}
