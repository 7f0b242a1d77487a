import type { RegistrationView } from '../../../registrations/registration-views.ts';
import type { JsonSchema } from '../../../tools/model.ts';

const TIME = { type: 'string', format: 'date-time' };

type Members = Readonly<Record<keyof RegistrationView, JsonSchema>> &
  Readonly<Record<string, JsonSchema>>;

/** A registration in `/openapi.json`. */
export const REGISTRATION_SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    slug: { type: 'string', description: 'Part of the ids of its tools.' },
    status: { enum: ['registered', 'awaiting_approval'] },
    visibility: { enum: ['private', 'public'] },
    baseUrl: { type: 'string' },
    category: { type: ['string', 'null'] },
    description: { type: ['string', 'null'] },
    auth: {
      type: 'object',
      description: 'How the gateway authenticates. A credential is never returned.',
      properties: {
        type: { type: 'string' },
        set: { type: 'boolean', description: 'Whether a credential is stored.' },
      },
    },
    pending: {
      type: 'boolean',
      description: 'Whether a new version of a public API waits for the operator.',
    },
    toolIds: { type: 'array', items: { type: 'string' } },
    createdAt: TIME,
    updatedAt: TIME,
  } satisfies Members,
};

/** The response to a deletion. */
export const DELETED_SCHEMA = {
  type: 'object',
  properties: { deleted: REGISTRATION_SCHEMA, message: { type: 'string' } },
};
