import { TEXT, TIME } from '../../platform/input/schema.ts';
import { type JobView, REPORT_VIEW } from '../../registrations/registration-views.ts';
import { component, type MemberSchema, TEXTS } from '../json-rpc/component.ts';

/** The states of a job, in the order in which it goes through them. */
const JOB_STATES: readonly JobView['status'][] = [
  'queued',
  'fetching',
  'validating',
  'converting',
  'registered',
  'confirmation_required',
  'checked',
  'failed',
];

const JOB: Readonly<Record<keyof JobView, MemberSchema>> = {
  job_id: TEXT,
  jobId: { ...TEXT, description: 'The same as `job_id`.' },
  status: { enum: JOB_STATES },
  name: TEXT,
  progress: { type: 'number', minimum: 0, maximum: 1 },
  createdAt: TIME,
  updatedAt: TIME,
  error: {
    type: ['object', 'null'],
    required: ['code', 'message'],
    properties: {
      code: TEXT,
      message: TEXT,
      pointer: { ...TEXT, description: 'JSON pointer into the description, if known.' },
    },
  },
  origins: {
    ...TEXTS,
    description:
      'Where the credential would be sent; empty unless `status` is `confirmation_required` or `checked`.',
  },
  report: { anyOf: [REPORT_VIEW, { type: 'null' }] },
  toolIds: { ...TEXTS, description: 'Empty unless `status` is `registered`.' },
  registrationId: { type: ['string', 'null'], description: 'What the job registered.' },
};

export const JOB_SCHEMA = component('RegistrationJob', JOB);

export const SUBMITTED_SCHEMA = component('SubmittedJob', {
  job_id: TEXT,
  status: { enum: JOB_STATES },
  status_url: { ...TEXT, description: 'Path of the job.' },
});
