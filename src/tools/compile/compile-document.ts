import { createFaultList } from '../document/definition-error.ts';
import { MAX_OPERATIONS } from '../document/document-limits.ts';
import type { ParsedDocument } from '../document/parse-document.ts';
import { createReferenceResolver } from '../document/resolve-reference.ts';
import type { CompiledApi, HttpMethod, Tool } from '../model.ts';
import { isObject, type JsonObject, own, ownText, pointerTo } from '../plain-json.ts';
import type { CompileContext, CompileOptions } from './compile-context.ts';
import { compileOperation, isPublicData, type Operation } from './compile-operation.ts';
import { compileServer } from './compile-server.ts';
import { checkExtensions } from './extensions.ts';
import { createSchemaTranslator } from './input-schema.ts';

const METHODS: readonly HttpMethod[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
];

/** What OpenAPI 3.2 has beside them, and no tool is made of. */
const UNSUPPORTED_METHODS = ['query', 'additionalOperations'];

/** Turns every operation of a description into a tool. Throws DefinitionError with all that is wrong. */
export function compileDocument(parsed: ParsedDocument, options: CompileOptions = {}): CompiledApi {
  const context = createContext(parsed, options);
  const { root, faults } = context;
  checkExtensions(root, context.strict, faults);
  const info = own(root, 'info');
  const title = isObject(info) ? ownText(info, 'title') : undefined;
  if (!title) context.complain('/info', 'The document needs a title (info.title).');
  const baseUrl = compileServer({ value: own(root, 'servers'), pointer: '/servers' }, context);
  const operations = listOperations(context);
  const tools = compileTools(operations, context);
  faults.throwIfAny();
  return {
    title: title ?? parsed.fileName,
    baseUrl: baseUrl ?? '',
    isPublicData: isPublicData(root),
    tools,
  };
}

function createContext(
  { root, fileName, lineOf }: ParsedDocument,
  options: CompileOptions,
): CompileContext {
  const strict = options.strictExtensions ?? false;
  const faults = createFaultList(fileName, lineOf);
  const references = createReferenceResolver(root, faults);
  const { onWarning } = options;
  const warn = onWarning ? createFaultList(fileName, lineOf, onWarning).add : () => undefined;
  return {
    root,
    options,
    strict,
    faults,
    references,
    schemas: createSchemaTranslator({ references, faults, strict }),
    lineOf,
    warn,
    complain: strict ? faults.add : warn,
  };
}

function listOperations(context: CompileContext): Operation[] {
  const paths = own(context.root, 'paths');
  if (!isObject(paths)) {
    context.faults.add('/paths', 'The document needs paths.');
    return [];
  }
  const operations = Object.keys(paths)
    .filter((path) => !path.startsWith('x-'))
    .flatMap((path) => operationsOf(path, paths, context));
  if (operations.length > MAX_OPERATIONS) {
    context.faults.add('/paths', `There are more than ${MAX_OPERATIONS} operations.`);
    return [];
  }
  return operations;
}

function operationsOf(path: string, paths: JsonObject, context: CompileContext): Operation[] {
  const place = { value: own(paths, path), pointer: pointerTo('/paths', path) };
  if (!path.startsWith('/')) context.faults.add(place.pointer, 'A path must begin with "/".');
  const pathItem = context.references.followToObject(place);
  if (!pathItem) return [];
  for (const key of UNSUPPORTED_METHODS) {
    if (Object.hasOwn(pathItem.value, key)) {
      context.warn(pointerTo(pathItem.pointer, key), `"${key}" is left out: it is not supported.`);
    }
  }
  return METHODS.flatMap((method) => {
    const key = method.toLowerCase();
    const value = own(pathItem.value, key);
    const pointer = pointerTo(pathItem.pointer, key);
    if (isObject(value)) return [{ value, pointer, method, path, pathItem }];
    if (value !== undefined) context.faults.add(pointer, 'An operation must be an object.');
    return [];
  });
}

function compileTools(operations: readonly Operation[], context: CompileContext): Tool[] {
  const places = new Map<string, string>();
  return operations.flatMap((operation) => {
    const tool = compileOperation(operation, context);
    if (!tool) return [];
    const other = places.get(tool.name);
    if (other !== undefined) {
      context.faults.add(
        operation.pointer,
        () => `The tool name "${tool.name}" is already used in line ${context.lineOf(other)}.`,
      );
    }
    places.set(tool.name, operation.pointer);
    return [tool];
  });
}
