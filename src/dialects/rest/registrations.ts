import { GatewayError } from '../../platform/kernel/error.ts';
import type { Route } from '../route.ts';

const ANSWERS = { 501: { description: 'Registration is not available yet.' } };

function notYet(): never {
  throw new GatewayError(
    'not_implemented',
    'Registering your own API is announced but not available yet; nothing was stored.',
  );
}

/** Registration of own APIs, announced and not built yet (docs/contract.md#registration). */
export const registrationRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/register',
    access: 'key',
    tag: 'Registration',
    summary: 'Register your own API (coming soon)',
    answers: ANSWERS,
    handle: notYet,
  },
  {
    method: 'GET',
    path: '/api/v1/register/:id/status',
    access: 'key',
    tag: 'Registration',
    summary: 'Status of a registration job (coming soon)',
    params: { id: 'The job id.' },
    answers: ANSWERS,
    handle: notYet,
  },
];
