import type { TSchema } from 'typebox';
import { list, orNull, TEXT } from '../../platform/input/schema.ts';
import type { JsonSchema } from '../../tools/model.ts';
import type { RouteResponseDescription } from '../route.ts';

/** The schema of a member of a response. */
export type MemberSchema = JsonSchema | TSchema;

/** The schema of an object in a response: a component of `/openapi.json`. All members but the `optional` are required. */
export const component = <Members extends Readonly<Record<string, MemberSchema>>>(
  name: string,
  members: Members,
  optional: readonly (keyof Members)[] = [],
): JsonSchema => ({
  $id: name,
  type: 'object',
  required: Object.keys(members).filter((member) => !optional.includes(member)),
  properties: members,
});

export const TEXT_OR_NULL = orNull(TEXT);
export const TEXTS = list(TEXT);
/** Its members are not listed. */
export const FREE_OBJECT = { type: 'object' };
export const FREE_OBJECT_OR_NULL = { type: ['object', 'null'] };

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
