import { GatewayError } from '../../../platform/kernel/error.ts';
import type { RegistrationView } from '../../../registrations/registration-views.ts';
import type { Registrations } from '../../../registrations/registrations.ts';
import type { Catalog } from '../../../tools/catalog/catalog.ts';
import { isOwnId } from '../../../tools/catalog-entry.ts';
import type { Route, RouteResponse } from '../../route.ts';
import { findTool } from '../find-tool.ts';
import { jsonResponse } from '../json-response.ts';
import { refusal } from '../refusals.ts';
import { registrationIdIn } from './path-ids.ts';
import { DELETED_SCHEMA } from './registration-schema.ts';
import { registrationsCallerOf } from './registrations-caller.ts';

export interface DeleteDeps {
  readonly registrations: Pick<Registrations, 'delete' | 'deleteByTool'>;
  readonly catalog: Pick<Catalog, 'findById'>;
}

/** `DELETE /api/v1/registrations/:id` and `/api/v1/tools/:toolId` (docs/contract.md#registration). */
export const createDeleteRoutes = ({ registrations, catalog }: DeleteDeps): Route[] => [
  {
    method: 'DELETE',
    path: '/api/v1/registrations/:id',
    operation: 'deleteRegistration',
    access: 'key',
    needsNoTools: true,
    tag: 'Registration',
    summary: 'Delete a registered API',
    params: { id: 'The id of the registration.' },
    responses: {
      200: { description: 'What was deleted.', schema: DELETED_SCHEMA },
      403: refusal('The API key has a list of allowed tools.'),
      404: refusal('Your tenant has no registration with this id.'),
    },
    handle: async (request) => {
      const caller = registrationsCallerOf(request);
      return toResponse(await registrations.delete(caller, registrationIdIn(request)));
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/tools/:toolId',
    operation: 'deleteToolApi',
    access: 'key',
    tag: 'Tools',
    summary: 'Delete the registered API of a tool',
    description: 'Deletes the API that the tool belongs to, with all its tools.',
    params: { toolId: 'The id, or the tool name alone.' },
    responses: {
      200: { description: 'What was deleted.', schema: DELETED_SCHEMA },
      403: refusal(
        'The tool belongs to a preset or to a public API of another tenant, or the API key has a list of allowed tools.',
      ),
      404: refusal('The API key has no such tool.'),
    },
    handle: async (request) => {
      const { id } = findTool(catalog, request);
      const caller = registrationsCallerOf(request);
      if (!isOwnId(id, caller.tenantSlug)) throw notYours(id);
      return toResponse(await registrations.deleteByTool(caller, id));
    },
  },
];

const notYours = (toolId: string): GatewayError =>
  new GatewayError(
    'forbidden',
    `${toolId} does not belong to an API that your tenant registered, so you cannot delete it.`,
  );

function toResponse(deleted: RegistrationView): RouteResponse {
  const { name, toolIds } = deleted;
  const tools = toolIds.length === 1 ? 'its tool' : `all ${toolIds.length} tools`;
  return jsonResponse(200, { deleted, message: `Deleted the API "${name}" with ${tools}.` });
}
