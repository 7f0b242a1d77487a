import { readJobId, readRegistrationId } from '../../../registrations/request/id-forms.ts';
import type { RouteRequest } from '../../route.ts';

/** The id of a registration in the path. Throws `not_found` for what is not an id. */
export const registrationIdIn = ({ params }: RouteRequest): string =>
  readRegistrationId(params['id'] ?? '');

/** As `registrationIdIn`, for a job. */
export const jobIdIn = ({ params }: RouteRequest): string => readJobId(params['id'] ?? '');
