/** Tools in one response to `tools/list`. */
export const MAX_LIST_LIMIT = 500;

/** Whether a value is a valid `limit` of `tools/list`. */
export const isListLimit = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_LIST_LIMIT;
