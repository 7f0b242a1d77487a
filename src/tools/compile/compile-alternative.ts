import type { Located } from '../../platform/kernel/json-pointer.ts';
import { type JsonObject, ownText } from '../../platform/kernel/plain-json.ts';
import type { ArgumentAlternative } from '../model.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { isPublicData, readExtension } from './extensions.ts';

/** Offers the domain's alternative if the operation asks for it or, unless it refuses, if the domain applies. */
export function compileAlternative(
  { value, pointer }: Located<JsonObject>,
  input: InputDraft,
  context: CompileContext,
): ArgumentAlternative | null {
  const { alternative } = context.options.domain;
  const wanted = readExtension(alternative.extension, value, context);
  const isPossible = fits(alternative, input);
  if (wanted === true && !isPossible) {
    context.report(`${pointer}/${alternative.extension}`, describeNeeds(alternative));
  }
  const isWanted = wanted === true || (wanted === undefined && isPublicData(context.root));
  if (!isPossible || !isWanted) return null;
  offer(alternative, input);
  return alternative;
}

/** Whether the tool has the arguments to replace, and the names of the others are free. */
const fits = ({ replaces, schemas }: ArgumentAlternative, { properties }: InputDraft): boolean =>
  Object.keys(replaces).every((name) => properties.has(name)) &&
  !Object.keys(schemas).some((name) => properties.has(name));

const describeNeeds = ({ extension, replaces, schemas }: ArgumentAlternative): string =>
  `${extension} needs the parameters ${Object.keys(replaces).join(' and ')}, and none named ${Object.keys(schemas).join(' or ')}.`;

/**
 * That one set of arguments is required is checked when the tool is called: with an `anyOf` at the root of the schema,
 * some model APIs refuse the whole tool.
 */
function offer(
  { replaces, schemas, note }: ArgumentAlternative,
  { properties, required }: InputDraft,
): void {
  for (const [name, defaultDescription] of Object.entries(replaces)) {
    const schema = properties.get(name) ?? {};
    const description = ownText(schema, 'description') ?? defaultDescription;
    properties.set(name, { ...schema, description: `${description} ${note}` });
    required.delete(name);
  }
  for (const [name, schema] of Object.entries(schemas)) properties.set(name, schema);
}
