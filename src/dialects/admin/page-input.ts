import { Type } from 'typebox';

/** The input of a list in pages. */
export const PAGE_INPUT = {
  cursor: Type.Optional(Type.String({ maxLength: 300 })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
};
