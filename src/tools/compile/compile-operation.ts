import { createHash } from 'node:crypto';
import stringify from 'safe-stable-stringify';
import { type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import { runWithin, WorkTooSlow } from '../../platform/kernel/run-within.ts';
import {
  MAX_REGISTERED_TOOL_LENGTH,
  MAX_REGISTERED_TOOLS_LENGTH,
  MAX_SCHEMA_DEPTH,
} from '../document/document-limits.ts';
import {
  type ArgumentAlternative,
  hasRows,
  type JsonSchema,
  type PayloadShape,
  type Tool,
} from '../model.ts';
import { createArgumentValidator } from '../request/argument-validator.ts';
import { widePatternsOf } from '../request/published-schema.ts';
import { compileAccept } from './choose-media.ts';
import { cleanLine, MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH } from './clean-text.ts';
import { compileBody } from './compile-body.ts';
import {
  type CompileContext,
  type InputDraft,
  newInputDraft,
  RESERVED_ARGUMENTS,
} from './compile-context.ts';
import { compileCredentials } from './compile-credential.ts';
import { compileKorean } from './compile-korean.ts';
import { compileParameters } from './compile-parameters.ts';
import {
  compilePayload,
  compilePersonal,
  compileRanges,
  compileStepBack,
  compileView,
  offerRange,
  offerRowArguments,
} from './compile-payload.ts';
import { overlayOf } from './compile-policy.ts';
import { compileServer } from './compile-server.ts';
import { compileSource } from './compile-source.ts';
import { extensionOf, isPublicData, QUOTA, readExtension } from './extension-table.ts';
import { type Operation, requestBodyOf, serversOf } from './list-operations.ts';
import { type PathTemplate, readPathTemplate } from './path-template.ts';
import { presetToolName } from './tool-name.ts';

/** Seconds for which a successful response to a GET may be reused, unless the document sets another value. */
const DEFAULT_CACHE_TTL_SECONDS = 60;

/** The names of the secrets that parameters are filled with, each once. */
const secretsOf = (parameters: Tool['parameters']): readonly string[] => [
  ...new Set(parameters.flatMap(({ source }) => (source.kind === 'secret' ? [source.secret] : []))),
];

/**
 * Compiles one operation to a tool. Undefined, with issues, if it cannot be called. A stranger's operation has been
 * given its name already.
 */
export function compileOperation(
  operation: Operation,
  assignedName: string | undefined,
  context: CompileContext,
): Tool | undefined {
  const { value, method } = operation;
  const template = readPathTemplate(operation, context);
  checkPath(template, operation, context);
  const name = assignedName ?? presetToolName(operation, context);
  const baseUrl = compileServer(serversOf(operation, context), context);
  const requestBody = requestBodyOf(operation);
  const codeKinds = overlayOf(context.options.policy)?.codeKinds.get(`${method} ${operation.path}`);
  const input = newInputDraft(requestBody !== undefined, codeKinds);
  const credentials = compileCredentials(operation, baseUrl, context);
  const templated = { ...operation, template };
  const parameters = compileParameters(templated, credentials, input, context);
  const alternative = compileAlternative(operation, input, context);
  const body = requestBody ? compileBody(operation, requestBody, input, context) : null;
  if (name === undefined || baseUrl === undefined) return undefined;
  const title = titleOf(operation, context);
  const isReadOnly = isReadOnlyOperation(operation, context);
  const cacheTtlSeconds = compileCacheTtl(operation, isReadOnly, context);
  const accept = context.strict ? undefined : compileAccept(operation, context);
  const source = compileSource(operation, context);
  const payload = compilePayload(operation, source.asOf, input, context);
  if (hasRows(payload)) offerRowArguments(input);
  if (hasRows(payload) && isReadOnly) offerRange(input);
  const inputSchema = assembleSchema(operation, input, context);
  const draft = {
    name,
    title,
    description: descriptionOf(operation, context),
    inputSchema,
    ...(context.strict ? {} : { filled: [...input.filled] }),
    widePatterns: compileWidePatterns(inputSchema, operation, context),
    annotations: {
      ...(title === null ? {} : { title }),
      readOnlyHint: isReadOnly,
      destructiveHint: !isReadOnly && (method === 'DELETE' || method === 'PUT'),
      openWorldHint: extensionOf('x-open-world', value, context) === true,
    },
    method,
    path: template.path,
    baseUrl,
    parameters,
    body,
    ...(accept === undefined ? {} : { accept }),
    isPublicData: isPublicData(context.root),
    alternative,
    cacheTtlSeconds,
    stepBack: compileStepBack(operation, parameters, payload, context),
    personal: compilePersonal(operation, input, cacheTtlSeconds, context),
    payload,
    source,
    view: compileView(operation, payload, context),
    searchHint: readExtension('x-search-hint', value, context) ?? null,
    returnsMcpContent: readExtension('x-mcp-content', value, context) === true,
    secrets: secretsOf(parameters),
  };
  const text = stringify(draft) ?? '';
  if (!context.strict) checkLength(text.length - ownLength(input, payload), operation, context);
  const version = createHash('sha256').update(text).digest('hex').slice(0, 16);
  // No part of the version either: other words do not make answers wrong.
  const korean = compileKorean(
    operation,
    { input, payload, view: draft.view, alternative },
    context,
  );
  return { ...draft, version, korean, ...compileLimits(operation, { ...draft, input }, context) };
}

/** How long a good response of a preset may replace a failure, unless it says otherwise: a week. */
const LAST_GOOD_SECONDS = 7 * 86_400;

/** What the provider allows and asks for, and how a range is divided. No part of the version: it does not make answers wrong. */
function compileLimits(
  operation: Operation,
  { cacheTtlSeconds, input }: Pick<Tool, 'cacheTtlSeconds'> & { readonly input: InputDraft },
  context: CompileContext,
): Pick<Tool, 'quota' | 'lastGoodSeconds' | 'contactHeader' | 'ranges'> {
  const { value } = operation;
  const chosen = overlayOf(context.options.policy)?.quota;
  const quota = extensionOf('x-quota', value, context) ?? chosen;
  const contactHeader = extensionOf('x-contact-header', value, context);
  const isKept = context.strict && cacheTtlSeconds > 0;
  return {
    quota: quota ? { ...QUOTA, ...quota } : null,
    lastGoodSeconds: isKept ? (extensionOf('x-last-good', value, context) ?? LAST_GOOD_SECONDS) : 0,
    ...(contactHeader === undefined ? {} : { contactHeader }),
    ...compileRanges(operation, input, context),
  };
}

function checkPath(
  { path }: PathTemplate,
  { pathItem }: Operation,
  { refuse }: CompileContext,
): void {
  if (/[?#]/.test(path)) {
    refuse(pathItem.pointer, 'A path must not contain a query or a fragment.');
  } else if (/\/(\.|%2e){1,2}(\/|$)/i.test(path)) {
    refuse(pathItem.pointer, 'A path must not contain the segment "." or "..".');
  }
}

/** What a tool is called in front of people: the operation's summary. */
function titleOf({ value, pointer }: Operation, { strict, texts }: CompileContext): string | null {
  const summary = ownText(value, 'summary');
  if (summary === undefined || strict) return summary ?? null;
  const title = texts.text(summary, `${pointer}/summary`, MAX_TITLE_LENGTH);
  return cleanLine(title, MAX_TITLE_LENGTH) || null;
}

/** What a model reads about a tool. */
function descriptionOf(operation: Operation, { texts }: CompileContext): string {
  const { value, pointer } = operation;
  const read = (key: string): string | undefined => {
    const text = ownText(value, key)?.trim();
    return text && texts.text(text, `${pointer}/${key}`, MAX_DESCRIPTION_LENGTH);
  };
  const text = read('description') || read('summary') || fallbackDescription(operation);
  return own(value, 'deprecated') === true ? `Deprecated. ${text}` : text;
}

/** The description of an operation that has none. */
export const fallbackDescription = ({ method, path }: Pick<Operation, 'method' | 'path'>): string =>
  `${method} ${cleanLine(path, MAX_DESCRIPTION_LENGTH)}`;

/** A stranger may call a POST read-only, as searches often are, but no other method that changes data. */
function isReadOnlyOperation({ value, method }: Operation, context: CompileContext): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  if (!context.strict && method !== 'POST') return false;
  return readExtension('x-read-only', value, context) === true;
}

/** How long a successful response may be reused. Operations that change data are never cached. */
function compileCacheTtl(
  { value, pointer, method }: Operation,
  isReadOnly: boolean,
  context: CompileContext,
): number {
  if (isReadOnly) {
    const byDefault = method === 'GET' ? DEFAULT_CACHE_TTL_SECONDS : 0;
    return extensionOf('x-cache-ttl', value, context) ?? byDefault;
  }
  if (readExtension('x-cache-ttl', value, context)) {
    const message =
      'Operations that change data are never cached. Remove x-cache-ttl, or set x-read-only: true.';
    context.report(`${pointer}/x-cache-ttl`, message);
  }
  return 0;
}

/** Offers the domain's alternative if the operation asks for it or, unless it refuses, if the domain applies. */
function compileAlternative(
  { value, pointer }: Operation,
  { properties, required }: InputDraft,
  context: CompileContext,
): ArgumentAlternative | null {
  const { alternative } = context.options.domain;
  const { extension, replaces, schemas, note } = alternative;
  const [replaced, added] = [Object.keys(replaces), Object.keys(schemas)];
  const wanted = readExtension(extension, value, context);
  const isPossible =
    replaced.every((name) => properties.has(name)) && !added.some((name) => properties.has(name));
  if (wanted === true && !isPossible) {
    const message = `${extension} needs the parameters ${replaced.join(' and ')}, and none named ${added.join(' or ')}.`;
    context.report(`${pointer}/${extension}`, message);
  }
  if (!isPossible || !(wanted ?? isPublicData(context.root))) return null;
  const isRequired = replaced.some((name) => required.has(name));
  // That one set of arguments is required is checked when the tool is called: with an `anyOf` at the root of the schema, some
  // model APIs refuse the whole tool.
  for (const [name, defaultDescription] of Object.entries(replaces)) {
    const schema = properties.get(name) ?? {};
    const description = ownText(schema, 'description') ?? defaultDescription;
    properties.set(name, { ...schema, description: `${description} ${note}` });
    required.delete(name);
  }
  for (const [name, schema] of Object.entries(schemas)) properties.set(name, schema);
  return { ...alternative, isRequired };
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
  else if (isDeeperThan(MAX_SCHEMA_DEPTH, schema)) context.refuse(pointer, TOO_DEEP);
  return schema;
}

/** Reports each example of a preset's parameter that the parameter's schema rejects: callers would copy it. */
function checkExamples(
  { properties, examples: pointers }: InputDraft,
  definitions: JsonObject,
  { refuse }: CompileContext,
): void {
  const shown = [...properties].flatMap(([name, { examples, ...schema }]) =>
    Array.isArray(examples) && examples.length > 0 ? [{ name, examples, schema }] : [],
  );
  if (shown.length === 0) return;
  // Without the examples themselves, which messages would recommend.
  const plain = Object.fromEntries(shown.map(({ name, schema }) => [name, schema]));
  const inputSchema = { type: 'object', properties: plain, $defs: definitions };
  const validate = createArgumentValidator({ inputSchema });
  for (const { name, examples } of shown) {
    for (const example of examples) {
      // A copy: the check fills in defaults.
      for (const { message } of validate({ [name]: structuredClone(example) })) {
        const text = `An example of "${name}" does not fit its schema: ${message}`;
        refuse(pointers.get(name) ?? '', text);
      }
    }
  }
}

const TOO_DEEP = `The input schema is nested deeper than ${MAX_SCHEMA_DEPTH} levels. Flatten it, or use references.`;

/**
 * Whether objects and arrays are nested deeper than this. Recursion of a schema is not nesting: references into `$defs` are
 * not followed.
 */
const isDeeperThan = (most: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (most <= 0 || Object.values(value).some((member) => isDeeperThan(most - 1, member)));

function compileWidePatterns(
  schema: JsonSchema,
  { pointer }: Operation,
  { strict, refuse }: CompileContext,
): Tool['widePatterns'] {
  if (strict) return widePatternsOf(schema);
  try {
    return runWithin(MAX_PATTERNS_MS, () => widePatternsOf(schema));
  } catch (error) {
    if (!(error instanceof WorkTooSlow)) throw error;
    refuse(pointer, TOO_SLOW);
    return {};
  }
}

/** Processor time for matching a stranger's patterns against a dozen short texts each. */
const MAX_PATTERNS_MS = 100;
const TOO_SLOW =
  'Its patterns take too long to match, even on a short text. Simplify or remove them.';

/** Bounds a registered tool as JSON, and all of one API: the gateway keeps them, and each list of tools sends them. */
/** Characters of what the gateway adds to a tool for its rows: the description is not to blame for them. */
function ownLength({ properties }: InputDraft, { finds, paging }: PayloadShape): number {
  const added = [...properties].filter(([name]) => RESERVED_ARGUMENTS.has(name));
  return JSON.stringify([Object.fromEntries(added), finds, paging]).length;
}

function checkLength(
  length: number,
  { pointer }: Operation,
  { spent, refuse }: CompileContext,
): void {
  if (length > MAX_REGISTERED_TOOL_LENGTH) refuse(pointer, TOO_LONG);
  else if (spent.toolLength + length > MAX_REGISTERED_TOOLS_LENGTH)
    refuse(pointer, TOO_LONG_IN_ALL);
  else spent.toolLength += length;
}

const TOO_LONG = `The tool would be longer than ${MAX_REGISTERED_TOOL_LENGTH} characters. Shorten its schemas and lists of values.`;
const TOO_LONG_IN_ALL = `The tools of one API may have ${MAX_REGISTERED_TOOLS_LENGTH} characters together. Choose fewer operations with include, or shorten schemas that several operations use.`;
