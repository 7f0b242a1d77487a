import {
  registerSchema,
  setShouldValidateFormat,
  setShouldValidateSchema,
  unregisterSchema,
  validate,
} from '@hyperjump/json-schema/openapi-3-2';
import '@hyperjump/json-schema/openapi-3-0';
import '@hyperjump/json-schema/openapi-3-1';
import oasToHar from '@readme/oas-to-har';
import Oas from 'oas';
import { pointerTo } from '../../../src/platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
} from '../../../src/platform/kernel/plain-json.ts';
import type { ParameterBinding, Tool, UpstreamRequest } from '../../../src/tools/model.ts';
import { excerptOf, followed } from './excerpt.ts';
import { plainHar, plainRequest } from './plain-request.ts';

// The calls are checked: many descriptions break rules that decide nothing about them.
setShouldValidateSchema(false);
setShouldValidateFormat(false);

/** An operation of a description in OpenAPI 3. */
export interface DescribedOperation {
  readonly root: JsonObject;
  readonly path: string;
  /** In lower case. */
  readonly method: string;
}

export interface Call {
  readonly tool: Tool;
  /** As they were checked and filled in. */
  readonly args: JsonObject;
  readonly request: UpstreamRequest;
}

const ADDRESS = 'https://description.example/openapi';

const DIALECTS: Readonly<Record<string, string>> = {
  '3.0': 'https://spec.openapis.org/oas/3.0/dialect',
  '3.1': 'https://spec.openapis.org/oas/3.1/dialect/base',
  '3.2': 'https://spec.openapis.org/oas/3.2/dialect/base',
};

/**
 * Checks calls of one operation with two libraries of others: `@readme/oas-to-har` builds a request from the same arguments,
 * and `@hyperjump/json-schema` validates every value by the schema as it was written. Returns what they do not agree with.
 */
export async function checkCalls(
  operation: DescribedOperation,
  calls: readonly Call[],
): Promise<string[]> {
  const excerpt = { ...operation, root: excerptOf(operation) };
  const dialect = DIALECTS[String(own(operation.root, 'openapi')).slice(0, 3)];
  registerSchema(excerpt.root as never, ADDRESS, dialect);
  try {
    const issues: string[] = [];
    for (const call of calls) {
      issues.push(...requestIssues(excerpt, call), ...(await valueIssues(excerpt, call)));
    }
    return issues;
  } catch (error) {
    return [`library: ${String(error)}`];
  } finally {
    unregisterSchema(ADDRESS);
  }
}

/** The parts in which the request of the other library differs. */
function requestIssues(
  { root, path, method }: DescribedOperation,
  { tool, args, request }: Call,
): string[] {
  const values: Record<string, Record<string, unknown>> = {};
  for (const binding of tool.parameters) {
    const value = argumentOf(binding, args);
    if (value !== undefined && value !== null) {
      values[binding.in] = { ...values[binding.in], [binding.name]: value };
    }
  }
  const body = request.body === null ? undefined : bodyOf(tool, args);
  // The library changes what it receives.
  const oas = new Oas(structuredClone(root) as never);
  const given = structuredClone({
    ...values,
    ...(body === undefined ? {} : { body, formData: body }),
  });
  const har = oasToHar(oas, oas.operation(path, method as 'get'), given as never);
  const names = Object.keys(values['header'] ?? {}).map((name) => name.toLowerCase());
  const theirs = plainHar(har.log.entries[0].request, names);
  const ours = plainRequest(request, names);
  const parts = Object.keys(theirs) as (keyof typeof theirs)[];
  return parts.flatMap((part) => {
    const [wanted, sent] = [theirs[part], ours[part]].map((value) => JSON.stringify(value));
    return wanted === sent ? [] : [`${part}: theirs ${wanted}, ours ${sent}`];
  });
}

function argumentOf({ source }: ParameterBinding, args: JsonObject): unknown {
  return source.kind === 'argument' ? own(args, source.property) : undefined;
}

function bodyOf({ body }: Tool, args: JsonObject): unknown {
  if (!body?.lifted) return own(args, 'body');
  const given = body.lifted.filter((name) => Object.hasOwn(args, name));
  return Object.fromEntries(given.map((name) => [name, args[name]]));
}

/** The issues of every value that is sent, by the schema that the description has for it. */
async function valueIssues(
  { root, path, method }: DescribedOperation,
  { tool, args, request }: Call,
): Promise<string[]> {
  const item = ownObject(ownObject(root, 'paths'), path);
  const operation = ownObject(item, method);
  const at = pointerTo('/paths', path);
  const all = [
    ...elements(own(item, 'parameters'), `${at}/parameters`),
    ...elements(own(operation, 'parameters'), `${at}/${method}/parameters`),
  ].map(({ value, pointer }) => located(root, value, pointer));
  // Those of the operation come last, and count.
  const parameters = new Map(
    all.map((each) => [`${each.value['in']} ${each.value['name']}`, each]),
  );
  const issues: string[] = [];
  for (const binding of tool.parameters) {
    const name = `${binding.in} ${binding.name}`;
    const parameter = parameters.get(name);
    const value = argumentOf(binding, args);
    if (!parameter || value === undefined || value === null) continue;
    issues.push(...(await issuesOf(schemaOf(parameter, binding.contentType), value, name)));
  }
  if (request.body === null || !tool.body) return issues;
  const body = located(root, own(operation, 'requestBody'), `${at}/${method}/requestBody`);
  const { contentType, kind } = tool.body;
  if (typeIn(body.value, contentType) === undefined) issues.push(`body: is no ${contentType}`);
  if (kind !== 'json') return issues;
  const sent: unknown = JSON.parse(request.body.toString());
  return [...issues, ...(await issuesOf(schemaOf(body, contentType), sent, 'body'))];
}

const elements = (list: unknown, pointer: string) =>
  (Array.isArray(list) ? list : []).map((value: unknown, index) => ({
    value,
    pointer: pointerTo(pointer, index),
  }));

/** An object of a description, and where it is once its references are followed. */
function located(root: JsonObject, value: unknown, pointer: string) {
  const reference = isObject(value) ? own(value, '$ref') : undefined;
  const place = typeof reference === 'string' ? decodeURIComponent(reference.slice(1)) : pointer;
  return { value: followed(root, value), pointer: place };
}

/** Where the schema of a parameter or a body is; undefined without one. */
function schemaOf(
  { value, pointer }: ReturnType<typeof located>,
  contentType: string | undefined,
): string | undefined {
  const type = contentType === undefined ? undefined : typeIn(value, contentType);
  const holder = type === undefined ? value : ownObject(ownObject(value, 'content'), type);
  if (own(holder, 'schema') === undefined) return undefined;
  return `${type === undefined ? pointer : pointerTo(`${pointer}/content`, type)}/schema`;
}

/** The name under which a media type is described. A range of types is sent as one of them. */
const typeIn = (value: JsonObject, contentType: string): string | undefined =>
  Object.keys(ownObject(value, 'content')).find(
    (name) => name === contentType || name.includes('*'),
  );

async function issuesOf(
  pointer: string | undefined,
  value: unknown,
  what: string,
): Promise<string[]> {
  if (pointer === undefined) return [];
  const output = await validate(`${ADDRESS}#${encodeURI(pointer)}`, value as never, 'BASIC');
  const errors = output.valid ? [] : (output.errors ?? []);
  return errors.map(
    ({ instanceLocation, absoluteKeywordLocation }) =>
      `${what}${instanceLocation.slice(1)}: refused by ${absoluteKeywordLocation.slice(ADDRESS.length)}`,
  );
}
