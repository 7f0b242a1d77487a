import type { RegistrationView } from '../../../registrations/registration-views.ts';
import type { JsonSchema } from '../../../tools/model.ts';
import { BOOLEAN, component, TEXT, TEXT_OR_NULL, TEXTS, TIME } from '../../json-rpc/component.ts';

const MEMBERS: Readonly<Record<keyof RegistrationView, JsonSchema>> = {
  id: TEXT,
  name: TEXT,
  slug: { ...TEXT, description: 'Part of the ids of its tools.' },
  status: { enum: ['registered', 'awaiting_approval'] },
  visibility: { enum: ['private', 'public'] },
  baseUrl: TEXT,
  category: TEXT_OR_NULL,
  description: TEXT_OR_NULL,
  auth: {
    ...component('StoredAuth', {
      type: TEXT,
      set: { ...BOOLEAN, description: 'Whether a credential is stored.' },
    }),
    description: 'How the gateway authenticates. A credential is never returned.',
  },
  pending: {
    ...BOOLEAN,
    description: 'Whether a new version of a public API waits for the operator.',
  },
  toolIds: TEXTS,
  createdAt: TIME,
  updatedAt: TIME,
};

/** A registration in `/openapi.json`. */
export const REGISTRATION_SCHEMA = component('Registration', MEMBERS);

/** The response to a deletion. */
export const DELETED_SCHEMA = component('DeletedRegistration', {
  deleted: REGISTRATION_SCHEMA,
  message: TEXT,
});
