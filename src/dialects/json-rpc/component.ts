import type { JsonSchema } from '../../tools/model.ts';

/** The schema of an object in a response: a component of `/openapi.json`. All members but the `optional` are required. */
export const component = <Members extends Readonly<Record<string, JsonSchema>>>(
  name: string,
  members: Members,
  optional: readonly (keyof Members)[] = [],
): JsonSchema => ({
  $id: name,
  type: 'object',
  required: Object.keys(members).filter((member) => !optional.includes(member)),
  properties: members,
});

export const TEXT = { type: 'string' };
export const TEXT_OR_NULL = { type: ['string', 'null'] };
export const TEXTS = { type: 'array', items: TEXT };
export const INTEGER = { type: 'integer' };
export const BOOLEAN = { type: 'boolean' };
export const TIME = { type: 'string', format: 'date-time' };
/** Its members are not listed. */
export const FREE_OBJECT = { type: 'object' };
export const FREE_OBJECT_OR_NULL = { type: ['object', 'null'] };
export const NEXT_CURSOR = { ...TEXT_OR_NULL, description: '`cursor` of the next page, or null.' };
