import type { Registrations } from '../../registrations/registrations.ts';
import type { AdminRoutes } from './admin-route.ts';
import { createApprovalRoutes } from './registrations/approval-routes.ts';
import { createJobRoutes, type JobRouteDeps } from './registrations/job-routes.ts';
import {
  createRegistrationRoutes,
  type RegistrationRouteDeps,
} from './registrations/registration-routes.ts';
import { createTrialRoutes, type TrialRouteDeps } from './registrations/trial-routes.ts';

export type ApiRouteDeps = RegistrationRouteDeps &
  JobRouteDeps &
  TrialRouteDeps & { readonly registrations: Pick<Registrations, 'reviews'> };

/** The APIs that tenants register, for people: what keys may do over REST, trials, and the operator's approvals. */
export const createApiRoutes = (deps: ApiRouteDeps) =>
  ({
    ...createRegistrationRoutes(deps),
    ...createJobRoutes(deps),
    ...createTrialRoutes(deps),
    ...createApprovalRoutes(deps.registrations),
  }) satisfies AdminRoutes;
