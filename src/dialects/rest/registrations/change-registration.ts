import type { Registrations } from '../../../registrations/registrations.ts';
import { decodePatch } from '../../../registrations/request/decode-patch.ts';
import type { DecodeLimits } from '../../../registrations/request/decode-registration.ts';
import type { DescriptionCompiler } from '../../../registrations/steps/description-compiler.ts';
import type { JsonSchema } from '../../../tools/model.ts';
import { readMembers } from '../../json-rpc/read-members.ts';
import type { Route, RouteExamples } from '../../route.ts';
import { jsonResponse } from '../json-response.ts';
import { refusal } from '../refusals.ts';
import { registrationIdIn } from './path-ids.ts';
import { REGISTRATION_SCHEMA } from './registration-schema.ts';
import { registrationsCallerOf } from './registrations-caller.ts';
import { AUTH_SCHEMA, FILTERS_SCHEMA } from './request-schemas.ts';

export interface ChangeDeps {
  readonly registrations: Pick<Registrations, 'patch'>;
  readonly split: DescriptionCompiler['split'];
  readonly limits: Pick<DecodeLimits, 'urls'>;
}

/** `PATCH /api/v1/registrations/:id` (docs/contract.md#registration). */
export const createChangeRoute = ({ registrations, split, limits }: ChangeDeps): Route => ({
  method: 'PATCH',
  path: '/api/v1/registrations/:id',
  operation: 'changeRegistration',
  access: 'key',
  needsNoTools: true,
  tag: 'Registration',
  summary: 'Change a registered API',
  description: 'Applies all members or none.',
  params: { id: 'The id of the registration.' },
  body: { schema: BODY_SCHEMA, examples: BODY_EXAMPLES },
  responses: {
    200: { description: 'The registration after the change.', schema: REGISTRATION_SCHEMA },
    400: refusal('The request is not valid. `message` lists every issue.'),
    403: refusal('The API key has a list of allowed tools.'),
    404: refusal('Your tenant has no registration with this id.'),
    409: refusal('The name is in use; `Location` names the registration that has it.'),
    422: refusal('A public API with a credential, or no operation that can become a tool.'),
    503: refusal('A credential cannot be encrypted, or the gateway is busy.'),
  },
  handle: async (request) => {
    const caller = registrationsCallerOf(request);
    const id = registrationIdIn(request);
    const { members, document } = await readMembers(request, split);
    // A member that the thread has taken out is refused by its name.
    const body = document === null ? members : { ...Object(members), spec_raw: null };
    return jsonResponse(200, await registrations.patch(caller, id, decodePatch(body, limits.urls)));
  },
});

const BODY_SCHEMA: JsonSchema = {
  $id: 'RegistrationChange',
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { type: 'string', maxLength: 100 },
    auth: AUTH_SCHEMA,
    visibility: { enum: ['private', 'public'] },
    include: { ...FILTERS_SCHEMA, type: ['array', 'null'] },
    exclude: { ...FILTERS_SCHEMA, type: ['array', 'null'] },
    category: { type: ['string', 'null'], maxLength: 40 },
    description: { type: ['string', 'null'], maxLength: 2000 },
    descriptions: {
      type: 'object',
      description:
        'Texts for tools, by name; they survive every refresh. Null returns to the text of the description.',
      additionalProperties: { type: ['string', 'null'], maxLength: 4000 },
    },
  },
};

const BODY_EXAMPLES: RouteExamples = {
  rename: {
    summary: 'Another name and credential',
    value: { name: 'Pet shop', auth: { type: 'bearer', token: 'another secret' } },
  },
};
