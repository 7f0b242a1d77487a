import { commandLine } from '../../platform/kernel/command-line.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import type { RegistrationRecord } from '../../registrations/store/registration-record.ts';
import { count } from '../shared/count.ts';
import { withRegistrations } from './with-registrations.ts';

type Decision = 'approve' | 'reject';

/**
 * Approves or rejects a public API that waits for it, and prints what follows. With a revision, no other one is approved:
 * its tenant may change it during the review.
 */
export async function decideRegistration(
  id: string,
  decision: Decision,
  revision?: number,
): Promise<void> {
  await withRegistrations('change', async (store) => {
    const decided = decision === 'approve' ? store.approve(id, revision) : store.reject(id);
    const registration = await decided.catch((error: unknown) => {
      throw withAdvice(error, id, revision);
    });
    process.stdout.write(`${SENTENCES[decision](registration)}\n`);
  });
}

const SENTENCES: Readonly<Record<Decision, (registration: RegistrationRecord) => string>> = {
  approve: (registration) =>
    `${describe(registration)} is public: gateways show its ${count(registration.tools.length, 'tool')} to all tenants within a second.`,
  // The store returns what it deleted as it was.
  reject: (registration) =>
    registration.status === 'awaiting_approval'
      ? `${describe(registration)} was rejected and deleted.`
      : `${describe(registration)} was rejected; it stays ${registration.visibility} as before.`,
};

const describe = ({ id, name, tenantSlug }: RegistrationRecord): string =>
  `${id} ("${name}" of ${tenantSlug})`;

/** Names the registration, and the command that lists those that wait. */
export function withAdvice(error: unknown, id: string, revision?: number): unknown {
  if (!(error instanceof GatewayError)) return error;
  const isReviewed = error.code === 'conflict' && revision !== undefined;
  const advice = isReviewed ? REVIEW_AGAIN : ADVICE[error.code];
  return advice ? new StartupError(`${advice.replace('<id>', id)} ${LIST}`) : error;
}

const LIST = `To list those that wait, run: ${commandLine('registrations list --awaiting')}`;

const REVIEW_AGAIN =
  'The registration "<id>" was changed since that review, or does not wait any more. Review it again.';

const ADVICE: Readonly<Partial<Record<GatewayError['code'], string>>> = {
  not_found: 'There is no registration "<id>".',
  conflict: 'The registration "<id>" does not wait for approval.',
};
