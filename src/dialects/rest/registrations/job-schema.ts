import type { JobView } from '../../../registrations/registration-views.ts';
import type { JsonSchema } from '../../../tools/model.ts';
import { component, TEXT, TEXTS, TIME } from '../../json-rpc/component.ts';
import { REPORT_SCHEMA } from './report-schema.ts';

/** The states of a job, in the order in which it goes through them. */
export const JOB_STATES: readonly JobView['status'][] = [
  'queued',
  'fetching',
  'validating',
  'converting',
  'registered',
  'awaiting_approval',
  'confirmation_required',
  'checked',
  'failed',
];

const MEMBERS: Readonly<Record<keyof JobView, JsonSchema>> = {
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
  report: { anyOf: [REPORT_SCHEMA, { type: 'null' }] },
  toolIds: { ...TEXTS, description: 'Empty unless `status` is `registered`.' },
};

/** A registration job in `/openapi.json`. */
export const JOB_SCHEMA = component('RegistrationJob', MEMBERS);
