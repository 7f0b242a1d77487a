import { StartupError } from '../../platform/kernel/error.ts';
import { isObject, type JsonObject, ownText } from '../../platform/kernel/plain-json.ts';
import { cleanText } from '../../tools/compile/clean-text.ts';
import type { Gateway } from '../shared/gateway-request.ts';

const MAX_TEXT_LENGTH = 4_000;

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
  const { progress, error, origins, report, toolIds } = body;
  return {
    id,
    status,
    progress: typeof progress === 'number' ? Math.min(Math.max(progress, 0), 1) : 0,
    error: decodeError(isObject(error) ? error : {}),
    origins: textsOf(origins),
    report,
    toolIds: textsOf(toolIds),
    body,
  };
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map((each) => clean(String(each))) : [];

const decodeError = (error: JsonObject): JobStatus['error'] => ({
  code: clean(ownText(error, 'code') ?? ''),
  message: clean(ownText(error, 'message') ?? 'The job failed without a reason.'),
  pointer: clean(ownText(error, 'pointer') ?? ''),
});

/** A message may quote a description, which may contain what a terminal obeys. */
const clean = (text: string): string => cleanText(text, MAX_TEXT_LENGTH);

/** Path of the status of a job. It does not follow what a response names, which could be another host. */
export const statusPath = (jobId: string): string => `/api/v1/register/${jobId}/status`;

/** A command that shows a resource of the gateway. */
export const showCommand = ({ url }: Gateway, path: string): string =>
  `curl -H "x-api-key: $TOOL_GATEWAY_API_KEY" ${url}${path}`;
