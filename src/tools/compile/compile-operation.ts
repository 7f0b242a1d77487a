import { createHash } from 'node:crypto';
import stringify from 'safe-stable-stringify';
import type { Located } from '../../platform/kernel/json-pointer.ts';
import { own, ownText } from '../../platform/kernel/plain-json.ts';
import { runWithin, WorkTooSlow } from '../../platform/kernel/run-within.ts';
import {
  MAX_REGISTERED_SCHEMA_LEVELS,
  MAX_REGISTERED_SCHEMA_SIZE,
  MAX_SCHEMA_DEPTH,
  MAX_TOOL_NAME_LENGTH,
} from '../document/document-limits.ts';
import type { BodyBinding, JsonSchema, ParameterBinding, Tool } from '../model.ts';
import { measureSchema } from '../request/measure-schema.ts';
import { widePatternsOf } from '../request/published-schema.ts';
import { registeredPattern, safePattern } from '../request/safe-pattern.ts';
import { checkExamples } from './check-examples.ts';
import { compileAlternative } from './compile-alternative.ts';
import { compileBody } from './compile-body.ts';
import { type CompileContext, type InputDraft, newInputDraft } from './compile-context.ts';
import { compileCredentials } from './compile-credential.ts';
import { compileParameters } from './compile-parameters.ts';
import { compilePayload } from './compile-payload.ts';
import { compileCacheTtl, compilePersonal, compileStepBack } from './compile-rules.ts';
import { compileServer } from './compile-server.ts';
import { compileSource } from './compile-source.ts';
import { compileView } from './compile-view.ts';
import { extensionOf, isPublicData, readExtension } from './extensions.ts';
import type { Operation } from './operation.ts';
import { parametersOf, requestBodyOf, serversOf } from './operation-parts.ts';
import { offerRowArguments } from './row-arguments.ts';
import { isDeeperThan } from './schema-depth.ts';
import { shortenToolName, toolName } from './tool-name.ts';
import { descriptionOf, titleOf } from './tool-text.ts';

/**
 * Compiles one operation to a tool. Undefined, with issues, if it cannot be called. A stranger's operation has been
 * given its name already.
 */
export function compileOperation(
  operation: Operation,
  assignedName: string | undefined,
  context: CompileContext,
): Tool | undefined {
  const { value, method, path } = operation;
  checkPath(operation, context);
  const name = assignedName ?? compilePresetName(operation, context);
  const baseUrl = compileServer(serversOf(operation, context), context);
  const requestBody = requestBodyOf(operation);
  const input = newInputDraft(requestBody !== undefined);
  const lists = [parametersOf(operation.pathItem), parametersOf(operation)];
  const credentials = compileCredentials(operation, baseUrl, context);
  const parameters = compileParameters({ path, lists, credentials }, input, context);
  const alternative = compileAlternative(operation, input, context);
  const body = requestBody ? compileMethodBody(operation, requestBody, input, context) : null;
  if (name === undefined || baseUrl === undefined) return undefined;
  const title = titleOf(operation, context);
  const isReadOnly = isReadOnlyOperation(operation, context);
  const ttlSeconds = compileCacheTtl(operation, method, isReadOnly, context);
  const source = compileSource(operation, context);
  const payload = compilePayload(operation, source, input, context);
  if (payload.items !== null) offerRowArguments(input);
  const inputSchema = assembleSchema(operation, input, context);
  const draft = {
    name,
    title,
    description: descriptionOf(operation, context),
    inputSchema,
    widePatterns: compileWidePatterns(inputSchema, operation, context),
    annotations: {
      ...(title === null ? {} : { title }),
      readOnlyHint: isReadOnly,
      destructiveHint: !isReadOnly && (method === 'DELETE' || method === 'PUT'),
      openWorldHint: extensionOf('x-open-world', value, context) === true,
    },
    method,
    path,
    baseUrl,
    parameters,
    body,
    isPublicData: isPublicData(context.root),
    alternative,
    cacheTtlSeconds: ttlSeconds,
    stepBack: compileStepBack(operation, parameters, payload, context),
    personal: compilePersonal(operation, input, ttlSeconds, context),
    payload,
    source,
    view: compileView(operation, payload, context),
    searchHint: searchHintOf(operation, context),
    answersContent: readExtension('x-mcp-content', value, context) === true,
    secrets: secretsOf(parameters),
  };
  return withVersion(draft, operation, context);
}

function searchHintOf({ value }: Operation, context: CompileContext): string | null {
  const hint = readExtension('x-search-hint', value, context);
  return typeof hint === 'string' ? hint : null;
}

/** A stranger may call a POST read-only, as searches often are, but no other method that changes data. */
function isReadOnlyOperation({ value, method }: Operation, context: CompileContext): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  if (!context.strict && method !== 'POST') return false;
  return readExtension('x-read-only', value, context) === true;
}

function checkPath({ path, pathItem }: Operation, { issues }: CompileContext): void {
  if (/[?#]/.test(path)) {
    issues.add(pathItem.pointer, 'A path must not contain a query or a fragment.');
  } else if (/\/(\.|%2e){1,2}(\/|$)/i.test(path)) {
    issues.add(pathItem.pointer, 'A path must not contain the segment "." or "..".');
  }
}

function compilePresetName(
  { value, pointer }: Operation,
  { issues, warn }: CompileContext,
): string | undefined {
  const id = ownText(value, 'operationId');
  if (!id || !/[A-Za-z0-9]/.test(id)) {
    const message = 'The operation needs an operationId that contains letters or digits.';
    issues.add(pointer, message);
    return undefined;
  }
  if (id.length > MAX_TOOL_NAME_LENGTH) {
    const message = `The operationId is longer than ${MAX_TOOL_NAME_LENGTH} characters. Shorten it.`;
    issues.add(`${pointer}/operationId`, message);
  }
  const name = shortenToolName(toolName(id));
  if (name !== id) {
    warn(`${pointer}/operationId`, `The operationId "${id}" becomes the tool name "${name}".`);
  }
  return name;
}

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
        'x-lift-body needs a required JSON body: an object with no property named like a parameter.';
      context.report(`${pointer}/x-lift-body`, message);
    }
    return body;
  }
  context.report(requestBody.pointer, `A ${method} request cannot have a body. Remove it.`);
  return null;
}

function assembleSchema(
  { pointer }: Operation,
  input: InputDraft,
  context: CompileContext,
): JsonSchema {
  const definitions = context.schemas.definitions(input.use);
  const schema = {
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
  if (context.strict) checkExamples(input, definitions, context);
  else checkBounds(schema, pointer, context);
  return schema;
}

function compileWidePatterns(
  schema: JsonSchema,
  { pointer }: Operation,
  { strict, issues }: CompileContext,
): Tool['widePatterns'] {
  if (strict) return widePatternsOf(schema, safePattern);
  try {
    return runWithin(MAX_PATTERNS_MS, () => widePatternsOf(schema, registeredPattern));
  } catch (error) {
    if (!(error instanceof WorkTooSlow)) throw error;
    issues.add(pointer, TOO_SLOW);
    return {};
  }
}

/** Processor time for matching a stranger's patterns against a dozen short texts each. */
const MAX_PATTERNS_MS = 100;
const TOO_SLOW =
  'Its patterns take too long to match, even on a short text. Simplify or remove them.';

function checkBounds(schema: JsonSchema, pointer: string, { issues }: CompileContext): void {
  const { size, levels } = measureSchema(schema);
  if (isDeeperThan(schema, MAX_SCHEMA_DEPTH)) issues.add(pointer, TOO_DEEP);
  else if (size > MAX_REGISTERED_SCHEMA_SIZE) issues.add(pointer, TOO_LARGE);
  else if (levels > MAX_REGISTERED_SCHEMA_LEVELS) issues.add(pointer, TOO_RECURSIVE);
}

const TOO_LARGE = `The input schema is too large: its objects and their keywords are more than ${MAX_REGISTERED_SCHEMA_SIZE}. Simplify it.`;
const TOO_RECURSIVE = `The input schema has too many definitions that refer to one another: they and the schemas within them have more than ${MAX_REGISTERED_SCHEMA_LEVELS} levels. Simplify it.`;
const TOO_DEEP = `The input schema is nested deeper than ${MAX_SCHEMA_DEPTH} levels. Flatten it, or use references.`;

function secretsOf(parameters: readonly ParameterBinding[]): string[] {
  const names = parameters.flatMap(({ source }) =>
    source.kind === 'secret' ? [source.secret] : [],
  );
  return [...new Set(names)];
}

function withVersion(
  tool: Omit<Tool, 'version'>,
  { pointer }: Operation,
  { strict, issues, spendTool }: CompileContext,
): Tool {
  const text = stringify(tool) ?? '';
  const issue = strict ? undefined : spendTool(text.length);
  if (issue) issues.add(pointer, issue);
  return { ...tool, version: createHash('sha256').update(text).digest('hex').slice(0, 16) };
}
