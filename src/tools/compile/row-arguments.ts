import type { InputDraft } from './compile-context.ts';

/** Columns that one call may name. */
export const MAX_FIELDS = 200;

/**
 * Lets the caller of a tool choose among the columns and rows of its response. The descriptions are short because a
 * model reads them once for every tool.
 */
export function offerRowArguments({ properties }: InputDraft): void {
  properties.set('_fields', {
    type: 'array',
    items: { type: 'string', maxLength: 200 },
    minItems: 1,
    maxItems: MAX_FIELDS,
    description: 'Columns to keep.',
  });
  properties.set('_limit', { type: 'integer', minimum: 1, description: 'Rows to keep.' });
  properties.set('_where', {
    type: 'object',
    description: 'Rows to keep. column: value, list or {from, to}.',
  });
}
