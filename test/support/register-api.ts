import { runJob } from '../../src/registrations/jobs/run-job.ts';
import type { RegistrationSteps } from '../../src/registrations/steps/registration-steps.ts';
import { createJobStore, requireJob } from '../../src/registrations/store/job-store.ts';
import { submitJob } from '../../src/registrations/store/submit-job.ts';
import { type RegistrationPlace, request, smallSteps } from './registrations.ts';

/** Registers an API of a tenant by running its job here, and resolves with the id of the registration. */
export async function registerApi(
  { deps }: Pick<RegistrationPlace, 'deps'>,
  tenantId: string,
  body: Readonly<Record<string, unknown>> = {},
  steps: RegistrationSteps = smallSteps(),
): Promise<string> {
  const job = await submitJob(deps, { tenantId, apiKeyId: 'key_0', request: request(body) });
  const ignore = (): void => undefined;
  const run = { queue: createJobStore(deps), steps, onChanged: ignore, onError: ignore };
  await runJob(run, job, new AbortController().signal);
  const { registrationId, error } = await requireJob(deps.db, tenantId, job.id);
  if (registrationId === null) throw new Error(`The job failed: ${error?.message}`);
  return registrationId;
}
