import type { RouteResponseDescription } from '../route.ts';

const REFUSAL_SCHEMA = {
  type: 'object',
  required: ['error', 'message'],
  properties: { error: { type: 'string' }, message: { type: 'string' } },
};

/** The description of a refusal, for `/openapi.json`. */
export const refusal = (description: string): RouteResponseDescription => ({
  description,
  schema: REFUSAL_SCHEMA,
});
