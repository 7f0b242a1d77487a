import { TEXT } from '../../platform/input/schema.ts';
import type { RouteResponseDescription } from '../route.ts';
import { component } from './component.ts';

const REFUSAL_SCHEMA = component('Refusal', {
  error: { ...TEXT, description: 'Short name of the status.' },
  message: { ...TEXT, description: 'What is wrong, and what to do.' },
});

/** The description of a refusal, for `/openapi.json`. */
export const refusal = (description: string): RouteResponseDescription => ({
  description,
  schema: REFUSAL_SCHEMA,
});

/** Of the routes for registrations, which `registrationsCallerOf` guards. */
export const FORBIDDEN = refusal('The API key has a list of allowed tools.');
