import type { Arguments } from './form-values.ts';
import { findPlace } from './place-fields.ts';
import { type Field, listIn } from './read-fields.ts';

/** The arguments of an example: the required ones, and a place where the tool wants one. */
export function exampleArguments(fields: readonly Field[]): Arguments {
  const place = findPlace(fields);
  const wanted = fields.filter(
    (field, at) =>
      field.isRequired || at === place?.latitude.position || at === place?.longitude.position,
  );
  return Object.fromEntries(
    wanted.flatMap(({ name, schema }) => {
      const value = listIn(schema, 'examples')[0] ?? schema['default'] ?? listIn(schema, 'enum')[0];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
