import { type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import { MAX_PARAMETERS } from '../document/document-limits.ts';
import type { ParameterLocation } from '../model.ts';
import type { CompileContext } from './compile-context.ts';
import { isHttpToken, isReservedHeader } from './http-names.ts';

/** One Parameter Object, with its `$ref` followed. */
export interface Parameter extends Located<JsonObject> {
  readonly name: string;
  readonly in: ParameterLocation;
}

const LOCATIONS: readonly ParameterLocation[] = ['path', 'query', 'header', 'cookie'];

/** OpenAPI describes these headers elsewhere and ignores parameters with these names. */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);

/** What makes two parameters the same. The names of headers are not case-sensitive. */
export const identityOf = ({ name, in: location }: { name: string; in: string }): string =>
  `${location} ${location === 'header' ? name.toLowerCase() : name}`;

/** The parameters of several `parameters` lists. Later lists override earlier ones, parameter by parameter. */
export function readParameters(lists: readonly Located[], context: CompileContext): Parameter[] {
  const parameters = new Map<string, Parameter>();
  for (const { value, pointer } of lists) {
    if (value === undefined) continue;
    if (!Array.isArray(value)) context.issues.add(pointer, '`parameters` must be an array.');
    else if (value.length <= MAX_PARAMETERS) readList(value, pointer, parameters, context);
    else context.issues.add(pointer, `There can be at most ${MAX_PARAMETERS} parameters.`);
  }
  return [...parameters.values()];
}

function readList(
  list: readonly unknown[],
  pointer: string,
  parameters: Map<string, Parameter>,
  context: CompileContext,
): void {
  const seen = new Map<string, string>();
  for (const [index, value] of list.entries()) {
    const entry = pointerTo(pointer, index);
    const place = context.references.followToObject({ value, pointer: entry });
    const parameter = place && readParameter(place, context);
    if (!parameter) continue;
    const key = identityOf(parameter);
    const first = seen.get(key);
    if (first !== undefined) reportTwice(parameter, [first, entry], context);
    seen.set(key, entry);
    parameters.set(key, parameter);
  }
}

/** In a stranger's document, the search for lines would be repeated too often. */
function reportTwice(
  { name, pointer }: Parameter,
  [first, second]: readonly [string, string],
  { strict, lineOf, report }: CompileContext,
): void {
  const message = `The parameter "${name}" is declared twice`;
  if (!strict) report(pointer, `${message}.`);
  else report(second, `${message}: on line ${lineOf(first)} and on line ${lineOf(second)}.`);
}

function readParameter(
  { value, pointer }: Located<JsonObject>,
  context: CompileContext,
): Parameter | undefined {
  const name = ownText(value, 'name');
  const location = own(value, 'in');
  // The upgrade from Swagger 2.0 leaves a reference to a shared body among the parameters.
  if (name === undefined && location === undefined && isObject(own(value, 'content'))) return;
  if (!name) {
    context.issues.add(pointer, 'The parameter has no name.');
  } else if (location === 'querystring') {
    context.report(pointer, 'Parameters with `in: querystring` are not supported.');
  } else if (!isLocation(location)) {
    context.issues.add(pointer, '`in` must be path, query, header or cookie.');
  } else if (location === 'header' && IGNORED_HEADERS.has(name.toLowerCase())) {
    return;
  } else if (location === 'header' && isReservedHeader(name)) {
    context.report(pointer, `Callers cannot set the header "${name}". Remove this parameter.`);
  } else if ((location === 'header' || location === 'cookie') && !isHttpToken(name)) {
    context.report(pointer, `"${name}" is not a valid ${location} name.`);
  } else {
    return { value, pointer, name, in: location };
  }
  return;
}

const isLocation = (value: unknown): value is ParameterLocation =>
  LOCATIONS.some((location) => location === value);
