import type { Located } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema } from '../model.ts';
import { MAX_SCHEMA_TEXT_LENGTH } from './clean-text.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import type { Parameter } from './read-parameters.ts';

/** The schema of the argument that fills a parameter. */
export function parameterSchema(
  parameter: Parameter,
  contentSchema: Located | undefined,
  input: InputDraft,
  context: CompileContext,
): JsonSchema {
  return describe(parameter, convertSchema(parameter, contentSchema, input, context), context);
}

function convertSchema(
  { value, pointer }: Parameter,
  contentSchema: Located | undefined,
  input: InputDraft,
  context: CompileContext,
): JsonSchema {
  const schema = own(value, 'schema');
  if (schema === undefined && !contentSchema) {
    context.report(pointer, 'The parameter has no schema.');
    return {};
  }
  const place = contentSchema ?? { value: schema, pointer: `${pointer}/schema` };
  return context.schemas.convert(place, input.use);
}

/** What the parameter declares overrides what its schema declares. */
function describe(
  { value, pointer }: Parameter,
  schema: JsonSchema,
  { texts }: CompileContext,
): JsonSchema {
  const text = ownText(value, 'description');
  const description = text && texts.text(text, `${pointer}/description`, MAX_SCHEMA_TEXT_LENGTH);
  const examples = texts.examples(parameterExamples(value));
  return {
    ...schema,
    ...(description ? { description } : {}),
    ...(own(value, 'deprecated') === true ? { deprecated: true } : {}),
    ...(examples.length > 0 ? { examples } : {}),
  };
}

/** Where the examples of a parameter are: its own, which override those of its schema, or the schema's. */
export function examplesPointer({ value, pointer }: Parameter): string {
  const own = ['example', 'examples'].find((key) => Object.hasOwn(value, key));
  return own === undefined ? `${pointer}/schema/examples` : `${pointer}/${own}`;
}

function parameterExamples(parameter: JsonObject): unknown[] {
  const example = own(parameter, 'example');
  if (example !== undefined) return [example];
  const examples = own(parameter, 'examples');
  if (!isObject(examples)) return [];
  return Object.values(examples).flatMap((named) =>
    isObject(named) && Object.hasOwn(named, 'value') ? [own(named, 'value')] : [],
  );
}
