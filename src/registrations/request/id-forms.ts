import { GatewayError } from '../../platform/kernel/error.ts';

const REGISTRATION_ID = /^reg_[0-9A-Z]{26}$/;
const PROPOSAL_ID = /^prp_[0-9A-Z]{26}$/;
const JOB_ID = /^job_[0-9A-Z]{26}$/;

export const isRegistrationId = (text: string): boolean => REGISTRATION_ID.test(text);

/** Returns the id of a registration. Throws `not_found` for what is not an id, before a database sees it. */
export const readRegistrationId = (text: string): string =>
  readId(text, REGISTRATION_ID, 'There is no registration with this id.');

/** As `readRegistrationId`, for a job. */
export const readJobId = (text: string): string =>
  readId(text, JOB_ID, 'There is no registration job with this id.');

/** As `readRegistrationId`, for a proposal. */
export const readProposalId = (text: string): string =>
  readId(text, PROPOSAL_ID, 'There is no proposal with this id. A proposal lives an hour.');

function readId(text: string, form: RegExp, message: string): string {
  if (form.test(text)) return text;
  throw new GatewayError('not_found', message);
}
