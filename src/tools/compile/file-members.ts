import { child } from '../../platform/kernel/json-pointer.ts';
import { isObject, own, ownObject, ownText } from '../../platform/kernel/plain-json.ts';
import { referenceOf } from '../document/resolve-reference.ts';
import type { JsonSchema, PropertyEncoding } from '../model.ts';
import type { CompileContext } from './compile-context.ts';

type References = Pick<CompileContext, 'references'>;

/** A value, or what its `$ref` leads to. Reports no issue. */
export function targetOf(value: unknown, { references }: References): unknown {
  const reference = referenceOf(value);
  return reference === undefined ? value : references.target(reference)?.value;
}

/** Media types of an `encoding` that only a file has. */
const OF_FILES = /^(?:image|audio|video|font)\/|^application\/(?:octet-stream|pdf|zip)\b/i;
const ANY_FILE = 'application/octet-stream';

/** The media type of the files that a schema describes, or a list of them; undefined if it describes no files. */
function fileTypeOf(schema: unknown, context: References): string | undefined {
  const value = targetOf(schema, context);
  if (!isObject(value)) return undefined;
  const items = own(value, 'items');
  if (items !== undefined) return fileTypeOf(items, context);
  // As `UploadFile | None` of FastAPI is written.
  for (const choice of [own(value, 'anyOf'), own(value, 'oneOf')]) {
    const types = Array.isArray(choice) ? choice.map((one) => fileTypeOf(one, context)) : [];
    const type = types.find((one) => one !== undefined);
    if (type !== undefined) return type;
  }
  const types = [own(value, 'type') ?? []].flat();
  if (types.length > 0 && !types.includes('string')) return undefined;
  const mediaType = ownText(value, 'contentMediaType');
  const isRaw = own(value, 'format') === 'binary' || mediaType !== undefined;
  return isRaw && own(value, 'contentEncoding') === undefined ? (mediaType ?? ANY_FILE) : undefined;
}

/** Whether an object schema has a member that is a file: JSON and URL-encoded forms cannot carry it. */
export const hasFiles = (schema: unknown, context: References): boolean =>
  isObject(schema) &&
  Object.values(ownObject(schema, 'properties')).some(
    (property) => fileTypeOf(property, context) !== undefined,
  );

/** How a member of a multipart form is sent, with what its schema says about files. */
export function withFile(
  encoding: PropertyEncoding,
  schema: unknown,
  context: References,
): PropertyEncoding {
  const type = fileTypeOf(schema, context);
  const declared = encoding.contentType;
  const isPlain = [undefined, 'string'].includes(child(schema, 'type') as string | undefined);
  if (type === undefined && !(isPlain && declared && OF_FILES.test(declared))) return encoding;
  return { ...encoding, isFile: true, contentType: declared ?? type ?? ANY_FILE };
}

/** The schema of an argument that is a file, or a list of files. */
export function fileSchema(schema: JsonSchema): JsonSchema {
  const { title, description, deprecated, items } = schema;
  const file = { type: 'string', contentEncoding: 'base64' };
  const said = {
    ...(title === undefined ? {} : { title }),
    description: description ?? 'The content of the file in base64.',
    ...(deprecated === undefined ? {} : { deprecated }),
  };
  return items === undefined ? { ...said, ...file } : { ...schema, items: { ...said, ...file } };
}
