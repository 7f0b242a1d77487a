import type { Registrations } from '../../registrations/registrations.ts';
import type { DecodeLimits } from '../../registrations/request/decode-registration.ts';
import type { DescriptionCompiler } from '../../registrations/steps/description-compiler.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { Route } from '../route.ts';
import { createChangeRoute } from './registrations/change-registration.ts';
import { createDeleteRoutes } from './registrations/delete-registration.ts';
import { createJobStatusRoute } from './registrations/job-status.ts';
import { createListRoutes } from './registrations/list-registrations.ts';
import { createRefreshRoute } from './registrations/refresh-registration.ts';
import { createRegisterRoute } from './registrations/register.ts';

export interface RegistrationRoutesDeps {
  readonly registrations: Pick<
    Registrations,
    'submit' | 'status' | 'list' | 'get' | 'patch' | 'refresh' | 'delete' | 'deleteByTool'
  >;
  readonly catalog: Pick<Catalog, 'findById'>;
  /** Reads a large body on a thread. */
  readonly split: DescriptionCompiler['split'];
  readonly limits: DecodeLimits;
}

/** The APIs that tenants register (docs/contract.md#registration). */
export const createRegistrationRoutes = (deps: RegistrationRoutesDeps): Route[] => [
  createRegisterRoute(deps),
  createJobStatusRoute(deps.registrations),
  ...createListRoutes(deps.registrations),
  createChangeRoute(deps),
  createRefreshRoute(deps),
  ...createDeleteRoutes(deps),
];
