import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../platform/kernel/clock.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import {
  type Gateway,
  GatewayUnreachable,
  refusalText,
  requestGateway,
} from '../shared/gateway-request.ts';
import { followJob } from './follow-job.ts';
import { decodeJobStatus, type JobStatus, showCommand, statusPath } from './job-status.ts';

/** A response that takes longer counts as missing. */
const RESPONSE_MS = 10_000;

/** Follows a job and writes its progress to standard error. Throws StartupError with how to look later. */
export async function watchJob(gateway: Gateway, jobId: string): Promise<JobStatus> {
  const say = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  say(jobId);
  try {
    return await followJob(
      {
        clock: systemClock,
        pause,
        read: (id) => readStatus(gateway, id),
        onChanged: ({ status, progress }) => say(`${percent(progress)} ${status}`),
        onSilent: () => say(`The gateway at ${gateway.url} does not respond. Trying again.`),
      },
      jobId,
    );
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    const later = showCommand(gateway, statusPath(jobId));
    throw new StartupError(`${error.message} The job may still end. Show it with: ${later}`);
  }
}

const percent = (progress: number): string => `${Math.round(progress * 100)} %`.padStart(5);

/** Undefined while the gateway, or a proxy before it, cannot respond. */
async function readStatus(gateway: Gateway, jobId: string): Promise<JobStatus | undefined> {
  try {
    const signal = AbortSignal.timeout(RESPONSE_MS);
    const response = await requestGateway(gateway, {
      method: 'GET',
      path: statusPath(jobId),
      signal,
    });
    if (response.status < 400) return decodeJobStatus(response.body);
    if (response.status === 429 || response.status >= 500) return undefined;
    throw new StartupError(refusalText(gateway, response));
  } catch (error) {
    if (error instanceof GatewayUnreachable) return undefined;
    throw error;
  }
}
