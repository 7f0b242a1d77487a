import { setTimeout as pause } from 'node:timers/promises';
import { StartupError } from '../../platform/kernel/error.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';
import { isObject, type JsonObject, ownObject, ownText } from '../../platform/kernel/plain-json.ts';
import { type Clock, systemClock } from '../../platform/kernel/time.ts';
import { cleanText } from '../../tools/compile/clean-text.ts';
import type { OperationOutcome } from '../../tools/compile/compile-outcome.ts';
import type { ApiReport } from '../../tools/report/create-report.ts';
import { formatReport } from '../openapi/format-report.ts';
import {
  type Gateway,
  GatewayUnreachable,
  refusalText,
  requestGateway,
} from '../shared/gateway-request.ts';
import { count, formatTable } from '../shared/output.ts';

/** The status of a registration job, as the gateway sent it (docs/contract.md#registration). */
export interface JobStatus {
  readonly id: string;
  readonly status: string;
  /** 0 to 1. */
  readonly progress: number;
  readonly error: { readonly code: string; readonly message: string; readonly pointer: string };
  /** Where the credential would be sent. */
  readonly origins: readonly string[];
  readonly report: unknown;
  readonly toolIds: readonly string[];
  /** The whole status. */
  readonly body: JsonObject;
}

/** Throws StartupError if it is not the status of a job. */
export function decodeJobStatus(body: JsonObject): JobStatus {
  const id = ownText(body, 'job_id') ?? '';
  const status = ownText(body, 'status') ?? '';
  if (!/^job_\w{1,64}$/.test(id) || !/^[a-z_]{1,64}$/.test(status)) {
    throw new StartupError(
      'The response is not the status of a registration job. Check that --url is the address of a Tool Gateway of this version.',
    );
  }
  const { progress, origins, report, toolIds } = body;
  const error = ownObject(body, 'error');
  return {
    id,
    status,
    progress: typeof progress === 'number' ? Math.min(Math.max(progress, 0), 1) : 0,
    error: {
      code: clean(ownText(error, 'code') ?? ''),
      message: clean(ownText(error, 'message') ?? 'The job failed without a reason.'),
      pointer: clean(ownText(error, 'pointer') ?? ''),
    },
    origins: textsOf(origins),
    report,
    toolIds: textsOf(toolIds),
    body,
  };
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map((each) => clean(String(each))) : [];

/** A message may quote a description, which may contain what a terminal obeys. */
const clean = (text: string): string => cleanText(text, 4_000);

/** A command that shows a resource of the gateway. */
export const showCommand = ({ url }: Gateway, path: string): string =>
  `curl -H "x-api-key: $TOOL_GATEWAY_API_KEY" ${url}${path}`;

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** A response that takes longer counts as missing. */
const RESPONSE_MS = 10_000;
/** How long a job is followed: while it waits for its turn, and then runs. */
export const MAX_JOB_MS = 12 * 60_000;
/** How long the gateway may be silent, as while it starts again. */
export const MAX_SILENCE_MS = 60_000;

const ENDED = ['registered', 'confirmation_required', 'checked', 'failed'];

interface FollowDeps {
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<unknown>;
}

/**
 * Follows a job until it has ended, and writes its progress to standard error. Throws StartupError with how to look later if
 * that takes too long.
 */
export async function followJob(
  gateway: Gateway,
  jobId: string,
  deps: FollowDeps = { clock: systemClock, pause },
): Promise<JobStatus> {
  // It does not follow what a response names, which could be another host.
  const path = `/api/v1/register/${jobId}/status`;
  say(jobId);
  try {
    return await untilEnded(deps, () => readStatus(gateway, path), gateway.url);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    const later = showCommand(gateway, path);
    throw new StartupError(`${error.message} The job may still end. Show it with: ${later}`);
  }
}

/** Reads the status of a job until it has ended. */
export async function untilEnded(
  deps: FollowDeps,
  read: () => Promise<JobStatus | undefined>,
  url: string,
): Promise<JobStatus> {
  const startMs = deps.clock.now();
  let heardMs = startMs;
  let shown = '';
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const job = await read();
    const line = job
      ? `${`${Math.round(job.progress * 100)} %`.padStart(5)} ${job.status}`
      : `The gateway at ${url} does not respond. Trying again.`;
    if (line !== shown) say(line);
    shown = line;
    if (job && ENDED.includes(job.status)) return job;
    const nowMs = deps.clock.now();
    if (job) heardMs = nowMs;
    if (nowMs - heardMs > MAX_SILENCE_MS) {
      throw new StartupError(`The gateway has been silent for ${MAX_SILENCE_MS / 1000} seconds.`);
    }
    if (nowMs - startMs > MAX_JOB_MS) {
      throw new StartupError(`The job has not ended after ${MAX_JOB_MS / 1000} seconds.`);
    }
    await deps.pause(pauseMs);
  }
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Undefined while the gateway, or a proxy before it, cannot respond. */
async function readStatus(gateway: Gateway, path: string): Promise<JobStatus | undefined> {
  try {
    const signal = AbortSignal.timeout(RESPONSE_MS);
    const response = await requestGateway(gateway, { method: 'GET', path, signal });
    if (response.status < 400) return decodeJobStatus(response.body);
    if (response.status === 429 || response.status >= 500) return undefined;
    throw new StartupError(refusalText(gateway, response));
  } catch (error) {
    if (error instanceof GatewayUnreachable) return undefined;
    throw error;
  }
}

/** The tools of a job, or the report of a dry run. */
export function formatResult({ status, toolIds, report }: JobStatus): string {
  if (status !== 'checked') {
    return formatTable(
      ['ID', 'NAME'],
      toolIds.map((id) => [id, nameOf(id)]),
    );
  }
  if (isReport(report)) return formatReport(report);
  throw new StartupError('The report does not have the form of this version. Add --json.');
}

/** What follows the slugs of the tenant and of the API, which have no dots (docs/contract.md#identifiers). */
const nameOf = (toolId: string): string => toolId.split('.').slice(2).join('.');

/** The message of a job that registered nothing, and what to do. */
export function describeFailure({ status, origins, error }: JobStatus): string {
  const { code, message, pointer } = error;
  const at = pointer ? `\n  at ${pointer}` : '';
  const advice = status === 'confirmation_required' ? confirmWith(origins) : adviceOn(code);
  return `${message}${at}\n${['Nothing was registered.', ...advice].join(' ')}`;
}

const confirmWith = (origins: readonly string[]): string[] => [
  'To send the credential there, add:',
  ...origins.map((origin) => `--confirm-origin ${origin}`),
];

function adviceOn(code: string): string[] {
  if (code.startsWith('upstream_')) {
    return ['Check the address, or download the description and register the file.'];
  }
  if (['internal', 'unavailable', 'overloaded'].includes(code)) return ['Run the command again.'];
  // Their messages say what to do.
  if (code === 'conflict') return [];
  return [`To check the description, run: ${commandLine('openapi check <source>')}`];
}

/** What a person should know about a job that has not failed, besides its result. */
export function describeEnding({ status, report }: JobStatus): string {
  const operations = status === 'registered' && isReport(report) ? report.operations : [];
  const numberOf = (wanted: OperationOutcome['outcome']): number =>
    operations.filter(({ outcome }) => outcome === wanted).length;
  const [changed, refused] = [numberOf('changed'), numberOf('refused')];
  if (changed + refused === 0) return '';
  return `${count(refused, 'operation')} refused, ${changed} changed. Add --dry-run to see why.\n`;
}

const isReport = (report: unknown): report is ApiReport =>
  isObject(report) &&
  Array.isArray(report['operations']) &&
  Array.isArray(report['warnings']) &&
  isObject(report['scoreParts']);
