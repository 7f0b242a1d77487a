import { INTEGER, NEXT_CURSOR, TEXT, TIME } from '../../platform/input/schema.ts';
import { type JobView, REGISTRATION_VIEW } from '../../registrations/registration-views.ts';
import { component, FREE_OBJECT, type MemberSchema, TEXTS } from '../json-rpc/component.ts';

export const REGISTRATION_PAGE_SCHEMA = component('RegistrationPage', {
  registrations: { type: 'array', items: REGISTRATION_VIEW },
  nextCursor: NEXT_CURSOR,
});

export const DELETED_SCHEMA = component('DeletedRegistration', {
  deleted: REGISTRATION_VIEW,
  message: TEXT,
});

const FREE_OBJECTS = { type: 'array', items: FREE_OBJECT };

/** The report of a job or a refresh. */
const REPORT_SCHEMA = {
  ...component('RegistrationReport', {
    score: INTEGER,
    scoreParts: FREE_OBJECT,
    tools: INTEGER,
    tokens: INTEGER,
    tags: TEXTS,
    operations: FREE_OBJECTS,
    warnings: FREE_OBJECTS,
  }),
  description: 'What became of each operation.',
};

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
  report: { anyOf: [REPORT_SCHEMA, { type: 'null' }] },
  toolIds: { ...TEXTS, description: 'Empty unless `status` is `registered`.' },
  registrationId: { type: ['string', 'null'], description: 'What the job registered.' },
};

export const JOB_SCHEMA = component('RegistrationJob', JOB);

export const SUBMITTED_SCHEMA = component('SubmittedJob', {
  job_id: TEXT,
  status: { enum: JOB_STATES },
  status_url: { ...TEXT, description: 'Path of the job.' },
});

export const REFRESH_SCHEMA = component('Refresh', {
  outcome: { enum: ['unchanged', 'updated', 'checked', 'confirmation_required'] },
  changes: component('RefreshChanges', {
    added: TEXTS,
    removed: TEXTS,
    changed: {
      type: 'array',
      items: component('ToolChange', {
        tool: TEXT,
        parts: {
          type: 'array',
          items: { enum: ['description', 'parameters', 'request', 'origin'] },
        },
      }),
    },
  }),
  origins: component('RefreshOrigins', { before: TEXTS, after: TEXTS }),
  report: REPORT_SCHEMA,
  registration: REGISTRATION_VIEW,
});
