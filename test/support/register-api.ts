import { runJob } from '../../src/registrations/jobs/run-job.ts';
import type { RegistrationSteps } from '../../src/registrations/steps/registration-steps.ts';
import { createJobStore } from '../../src/registrations/store/job-store.ts';
import { submitJob } from '../../src/registrations/store/submit-job.ts';
import { type RegistrationPlace, request, smallSteps } from './registrations.ts';
import { until } from './until.ts';

/**
 * Registers an API of a tenant by running its job here, unless the runner of the test takes it first, and resolves with the
 * id of the registration.
 */
export async function registerApi(
  { deps, clock }: Pick<RegistrationPlace, 'deps' | 'clock'>,
  tenantId: string,
  body: Readonly<Record<string, unknown>> = {},
  steps: RegistrationSteps = smallSteps(),
): Promise<string> {
  const queue = createJobStore(deps);
  const { job } = await submitJob(deps, { tenantId, apiKeyId: 'key_0', request: request(body) });
  const claimed = await queue.claim();
  if (claimed) {
    const ignore = (): void => undefined;
    const run = { queue, steps, clock, onChanged: ignore, onError: ignore };
    await runJob(run, claimed, new AbortController().signal);
  }
  let ended = job;
  await until(async () => {
    ended = (await queue.find(tenantId, job.id)) ?? ended;
    return ended.registrationId !== null || ended.error !== null;
  });
  if (ended.registrationId === null) throw new Error(`The job failed: ${ended.error?.message}`);
  return ended.registrationId;
}
