import type { JobView } from '../../../registrations/registration-views.ts';
import type { JsonSchema } from '../../../tools/model.ts';

export const JOB_STATES: readonly JobView['status'][] = [
  'queued',
  'fetching',
  'validating',
  'converting',
  'registered',
  'awaiting_approval',
  'checked',
  'failed',
];

const TIME = { type: 'string', format: 'date-time' };

/** A registration job in `/openapi.json`. */
export const JOB_SCHEMA = {
  type: 'object',
  properties: {
    job_id: { type: 'string' },
    jobId: { type: 'string', description: 'The same as `job_id`.' },
    status: { enum: JOB_STATES },
    name: { type: 'string' },
    progress: { type: 'number', minimum: 0, maximum: 1 },
    createdAt: TIME,
    updatedAt: TIME,
    error: {
      type: ['object', 'null'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        pointer: { type: 'string', description: 'JSON pointer into the description, if known.' },
      },
    },
    report: {
      type: ['object', 'null'],
      description: 'What became of each operation.',
      properties: {
        score: { type: 'integer' },
        scoreParts: { type: 'object' },
        tools: { type: 'integer' },
        tokens: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
        operations: { type: 'array', items: { type: 'object' } },
        warnings: { type: 'array', items: { type: 'object' } },
      },
    },
    toolIds: {
      type: 'array',
      items: { type: 'string' },
      description: 'Empty unless `status` is `registered`.',
    },
  } satisfies Readonly<Record<keyof JobView, JsonSchema>>,
};
