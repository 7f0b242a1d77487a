import { createHash } from 'node:crypto';
import stringify from 'safe-stable-stringify';
import { MAX_TOOL_NAME_LENGTH } from '../document/document-limits.ts';
import { referenceOf } from '../document/resolve-reference.ts';
import type { BodyBinding, HttpMethod, JsonSchema, ParameterBinding, Tool } from '../model.ts';
import { child, type JsonObject, type Located, own, ownText, pointerTo } from '../plain-json.ts';
import { compileBody } from './compile-body.ts';
import { type CompileContext, type InputDraft, RESERVED_ARGUMENTS } from './compile-context.ts';
import { compileParameters } from './compile-parameters.ts';
import { compilePayload } from './compile-payload.ts';
import { compileCacheTtl, compilePersonal, compileStepBack } from './compile-rules.ts';
import { compileSecurity } from './compile-security.ts';
import { compileServer } from './compile-server.ts';
import { extensionOf } from './extensions.ts';
import { canOfferPlace, offerPlace } from './grid-input.ts';
import { newSchemaUse } from './input-schema.ts';
import { offerRowArguments } from './row-arguments.ts';
import { shortenToolName, toolName, toolNameOfPath } from './tool-name.ts';

/** One operation, and what stands around it. */
export interface Operation extends Located<JsonObject> {
  readonly method: HttpMethod;
  readonly path: string;
  readonly pathItem: Located<JsonObject>;
}

/** One operation as a tool; undefined, with faults, when it cannot be called. */
export function compileOperation(operation: Operation, context: CompileContext): Tool | undefined {
  const { value, method, path } = operation;
  checkPath(operation, context);
  const name = compileName(operation, context);
  const baseUrl = compileServer(serversOf(operation, context), context);
  const requestBody = requestBodyOf(operation);
  const input: InputDraft = {
    properties: new Map(),
    required: new Set(),
    dependentRequired: new Map(),
    rules: {},
    use: newSchemaUse(),
    reserved: requestBody ? new Set([...RESERVED_ARGUMENTS, 'body']) : RESERVED_ARGUMENTS,
  };
  const parameters = compileParameters(
    [parametersOf(operation.pathItem), parametersOf(operation)],
    path,
    compileSecurity(operation, context),
    input,
    context,
  );
  const grid = compileGrid(operation, input, context);
  const body = requestBody ? compileMethodBody(operation, requestBody, input, context) : null;
  if (name === undefined || baseUrl === undefined) return undefined;
  const title = ownText(value, 'summary') ?? null;
  const isReadOnly = method === 'GET' || method === 'HEAD' || own(value, 'x-read-only') === true;
  const ttlSeconds = compileCacheTtl(operation, method, isReadOnly, context);
  const payload = compilePayload(operation, context);
  if (payload.items !== null) offerRowArguments(input);
  return withVersion({
    name,
    title,
    description: describe(operation),
    inputSchema: assembleSchema(input, context),
    annotations: {
      ...(title === null ? {} : { title }),
      readOnlyHint: isReadOnly,
      destructiveHint: !isReadOnly && (method === 'DELETE' || method === 'PUT'),
      openWorldHint: extensionOf('x-open-world', value, context.root) === true,
    },
    method,
    path,
    baseUrl,
    parameters,
    body,
    isPublicData: isPublicData(context.root),
    grid,
    cacheTtlSeconds: ttlSeconds,
    stepBack: compileStepBack(operation, parameters, payload, context),
    personal: compilePersonal(operation, input, ttlSeconds, context),
    payload,
    answersContent: own(value, 'x-mcp-content') === true,
    secrets: secretsOf(parameters),
  });
}

export const isPublicData = (root: JsonObject): boolean => own(root, 'x-public-data') === true;

function checkPath({ path, pathItem }: Operation, { faults }: CompileContext): void {
  if (/[?#]/.test(path)) faults.add(pathItem.pointer, 'A path may not have a query or a fragment.');
  else if (/\/(\.|%2e){1,2}(\/|$)/i.test(path)) {
    faults.add(pathItem.pointer, 'A path may not have the segments "." and "..".');
  }
}

function compileName(
  { value, pointer, method, path }: Operation,
  context: CompileContext,
): string | undefined {
  const id = ownText(value, 'operationId');
  if (!id || !/[A-Za-z0-9]/.test(id)) {
    if (context.strict)
      context.faults.add(pointer, 'The operation needs an operationId, with letters or digits.');
    return context.strict ? undefined : shortenToolName(toolNameOfPath(method, path));
  }
  if (context.strict && id.length > MAX_TOOL_NAME_LENGTH) {
    const message = `The operationId is longer than ${MAX_TOOL_NAME_LENGTH} characters.`;
    context.faults.add(`${pointer}/operationId`, message);
  }
  return shortenToolName(toolName(id));
}

function serversOf({ value, pointer, pathItem }: Operation, { root }: CompileContext): Located {
  for (const [source, place] of [
    [value, pointer],
    [pathItem.value, pathItem.pointer],
  ] as const) {
    const servers = own(source, 'servers');
    if (Array.isArray(servers) && servers.length > 0) {
      return { value: servers, pointer: `${place}/servers` };
    }
  }
  return { value: own(root, 'servers'), pointer: '/servers' };
}

const parametersOf = ({ value, pointer }: Located<JsonObject>): Located => ({
  value: own(value, 'parameters'),
  pointer: `${pointer}/parameters`,
});

/** Unsaid, every operation of a public-data document that takes a grid point offers a place too. */
function compileGrid(
  { value, pointer }: Operation,
  input: InputDraft,
  context: CompileContext,
): boolean {
  const said = own(value, 'x-grid');
  const isPossible = canOfferPlace(input);
  if (said === true && !isPossible) {
    const message = 'x-grid needs the parameters nx and ny, and none named lat or lon.';
    context.complain(`${pointer}/x-grid`, message);
  }
  const grid = isPossible && (said === true || (said === undefined && isPublicData(context.root)));
  if (grid) offerPlace(input);
  return grid;
}

/** The request body; the upgrade from Swagger 2.0 leaves a reference to a shared one among the parameters. */
function requestBodyOf(operation: Operation): Located | undefined {
  const value = own(operation.value, 'requestBody');
  if (value !== undefined) return { value, pointer: `${operation.pointer}/requestBody` };
  for (const { value: list, pointer } of [
    parametersOf(operation),
    parametersOf(operation.pathItem),
  ]) {
    const index = Array.isArray(list) ? list.findIndex(isSharedBody) : -1;
    if (index >= 0)
      return { value: child(list, String(index)), pointer: pointerTo(pointer, index) };
  }
  return undefined;
}

const isSharedBody = (value: unknown): boolean =>
  referenceOf(value)?.startsWith('#/components/requestBodies/') ?? false;

function compileMethodBody(
  { method, value, pointer }: Operation,
  requestBody: Located,
  input: InputDraft,
  context: CompileContext,
): BodyBinding | null {
  if (method !== 'GET' && method !== 'HEAD' && method !== 'TRACE') {
    const isLifted = own(value, 'x-lift-body') === true;
    const body = compileBody(requestBody, isLifted, input, context);
    if (isLifted && body?.lifted === null) {
      const message =
        'x-lift-body needs a required JSON body, an object whose properties no parameter is named like.';
      context.complain(`${pointer}/x-lift-body`, message);
    }
    return body;
  }
  context.complain(requestBody.pointer, `A ${method} request has no body.`);
  return null;
}

function assembleSchema(input: InputDraft, context: CompileContext): JsonSchema {
  const definitions = context.schemas.definitions(input.use);
  return {
    type: 'object',
    properties: Object.fromEntries(input.properties),
    required: [...input.required],
    ...(input.dependentRequired.size > 0
      ? { dependentRequired: Object.fromEntries(input.dependentRequired) }
      : {}),
    additionalProperties: false,
    ...input.rules,
    ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}),
  };
}

function describe({ value, method, path }: Operation): string {
  const said = ownText(value, 'description')?.trim() || ownText(value, 'summary')?.trim();
  const text = said || `${method} ${path}`;
  return own(value, 'deprecated') === true ? `Deprecated. ${text}` : text;
}

function secretsOf(parameters: readonly ParameterBinding[]): string[] {
  const names = parameters.flatMap(({ source }) =>
    source.kind === 'secret' ? [source.secret] : [],
  );
  return [...new Set(names)];
}

function withVersion(tool: Omit<Tool, 'version'>): Tool {
  const text = stringify(tool) ?? '';
  return { ...tool, version: createHash('sha256').update(text).digest('hex').slice(0, 16) };
}
