import { decodeCursor, encodeCursor } from '../../../registrations/registration-cursor.ts';
import type { Registrations } from '../../../registrations/registrations.ts';
import { component, NEXT_CURSOR } from '../../json-rpc/component.ts';
import type { Route } from '../../route.ts';
import { jsonResponse } from '../json-response.ts';
import { CURSOR_QUERY, optionalText } from '../paging.ts';
import { refusal } from '../refusals.ts';
import { registrationIdIn } from './path-ids.ts';
import { REGISTRATION_SCHEMA } from './registration-schema.ts';
import { registrationsCallerOf } from './registrations-caller.ts';

/** Registrations on one page. */
const MAX_PAGE = 100;

/** `GET /api/v1/registrations` and `/api/v1/registrations/:id` (docs/contract.md#registration). */
export const createListRoutes = (registrations: Pick<Registrations, 'list' | 'get'>): Route[] => [
  {
    method: 'GET',
    path: '/api/v1/registrations',
    operation: 'listRegistrations',
    access: 'key',
    needsNoTools: true,
    tag: 'Registration',
    summary: 'APIs that your tenant registered, oldest first',
    query: {
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_PAGE,
        default: 50,
        description: 'Entries on a page.',
      },
      cursor: CURSOR_QUERY,
    },
    responses: {
      200: { description: 'A page of registrations.', schema: PAGE_SCHEMA },
      400: refusal('The limit or the cursor is not valid.'),
      403: refusal('The API key has a list of allowed tools.'),
    },
    handle: async (request) => {
      const caller = registrationsCallerOf(request);
      const { cursor } = optionalText(request.query, 'cursor');
      const page = await registrations.list(caller, {
        limit: Number(request.query['limit']),
        cursor: cursor === undefined ? undefined : decodeCursor(cursor),
      });
      const nextCursor = page.nextCursor === null ? null : encodeCursor(page.nextCursor);
      return jsonResponse(200, { registrations: page.registrations, nextCursor });
    },
  },
  {
    method: 'GET',
    path: '/api/v1/registrations/:id',
    operation: 'getRegistration',
    access: 'key',
    needsNoTools: true,
    tag: 'Registration',
    summary: 'One registered API',
    params: { id: 'The id of the registration.' },
    responses: {
      200: { description: 'The registration.', schema: REGISTRATION_SCHEMA },
      403: refusal('The API key has a list of allowed tools.'),
      404: refusal('Your tenant has no registration with this id.'),
    },
    handle: async (request) => {
      const caller = registrationsCallerOf(request);
      return jsonResponse(200, await registrations.get(caller, registrationIdIn(request)));
    },
  },
];

const PAGE_SCHEMA = component('RegistrationPage', {
  registrations: { type: 'array', items: REGISTRATION_SCHEMA },
  nextCursor: NEXT_CURSOR,
});
