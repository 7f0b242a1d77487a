import { own, ownObject, ownText } from '../../platform/kernel/plain-json.ts';
import { matchesPattern } from '../../platform/kernel/tool-policy.ts';
import { ALL_ISSUES, createIssueList, type Report } from '../document/definition-error.ts';
import { MAX_OPERATIONS, MAX_REGISTERED_OPERATIONS } from '../document/document-limits.ts';
import type { ParsedDocument } from '../document/parse-document.ts';
import { createReferenceResolver } from '../document/resolve-reference.ts';
import type { CompiledApi, Tool } from '../model.ts';
import { checkExtensions } from './check-extensions.ts';
import { cleanLine, MAX_TITLE_LENGTH } from './clean-text.ts';
import type { CompileContext, CompileOptions } from './compile-context.ts';
import { credentialIssue } from './compile-credential.ts';
import { compileOperation } from './compile-operation.ts';
import { type OperationOutcome, outcomeOf } from './compile-outcome.ts';
import type { OperationFilter, RegisteredPolicy } from './compile-policy.ts';
import { compileServer } from './compile-server.ts';
import { extensionsOf, isPublicData, readExtension } from './extension-table.ts';
import { createFindingScope, createWarningList } from './findings.ts';
import { textUpTo } from './guards.ts';
import { createSchemaConverter } from './input-schema.ts';
import { documentServers, listOperations, type Operation } from './list-operations.ts';
import { createTextReader } from './text-reader.ts';
import { nameOperations } from './tool-name.ts';

export type CompiledDocument = ReturnType<typeof compileDocument>;

/**
 * Compiles the operations of a description to tools. Throws DefinitionError with all issues of a preset. For a
 * registered API it throws only if there is no document to compile; any other issue is in `operations`.
 */
export function compileDocument(parsed: ParsedDocument, options: CompileOptions) {
  const { policy } = options;
  const warnings = createWarningList();
  const { context, documentIssues } = createContext(parsed, options, warnings.add);
  const { root, scope, strict, refuseDocument } = context;
  checkExtensions(context);
  const credential = policy.kind === 'registered' ? policy.credential : undefined;
  const issue = credential && credentialIssue(credential);
  if (issue) refuseDocument('', issue);
  const title = readTitle(context);
  const server = scope.collect(() => compileServer(documentServers(context), context));
  // A stranger's operation may have another server; without one, it is refused itself.
  if (strict) scope.repeat(server.verdicts);
  const all = listOperations(context);
  const operations = selectOperations(all, context);
  const compiled = strict
    ? compilePreset(operations, context)
    : compileOneByOne(operations, context);
  documentIssues.throwIfAny();
  const api: CompiledApi = {
    title: title ?? parsed.fileName,
    topic: readExtension('x-topic', root, context) ?? null,
    baseUrl: server.result ?? '',
    isPublicData: isPublicData(root),
    tools: compiled.flatMap(({ tool }) => tool ?? []),
  };
  return {
    api,
    /** One entry per selected operation, in the document's order. A preset's are all accepted. */
    operations: compiled.map(({ outcome }) => outcome),
    /** Of all operations, to select them by. */
    tags: listTags(all),
    warnings: warnings.warnings(),
  };
}

/** The base address of an API; undefined if its description has no usable server. */
export function baseUrlOf(parsed: ParsedDocument, options: CompileOptions): string | undefined {
  const { context } = createContext(parsed, options, () => undefined);
  return context.scope.collect(() => compileServer(documentServers(context), context)).result;
}

function createContext(
  { root, fileName, lineOf }: ParsedDocument,
  options: CompileOptions,
  warn: Report,
) {
  const strict = options.policy.kind === 'preset';
  // The author of a preset sees every issue; undefined stands for the usual bounds.
  const bounds = strict ? ALL_ISSUES : undefined;
  const documentIssues = createIssueList(fileName, lineOf, bounds);
  const outermost = strict ? documentIssues.add : warn;
  const scope = createFindingScope(
    ({ pointer, message }) => outermost(pointer, message),
    bounds?.issues,
  );
  const references = createReferenceResolver(root, scope.refuse);
  const texts = createTextReader(options.policy, warn);
  const context: CompileContext = {
    root,
    options,
    strict,
    extensions: extensionsOf(options.domain),
    scope,
    refuse: scope.refuse,
    refuseDocument: documentIssues.add,
    references,
    texts,
    spent: { toolLength: 0 },
    schemas: createSchemaConverter({ strict, references, scope, texts }),
    lineOf,
    warn,
    report: scope.change,
  };
  return { context, documentIssues };
}

function readTitle({ root, strict, report }: CompileContext): string | undefined {
  const title = ownText(ownObject(root, 'info'), 'title');
  if (!title) report('/info', 'The document has no title. Set info.title.');
  return title === undefined || strict ? title : cleanLine(title, MAX_TITLE_LENGTH);
}

interface CompiledOperation {
  readonly tool: Tool | undefined;
  readonly outcome: OperationOutcome;
}

function compilePreset(
  operations: readonly Operation[],
  context: CompileContext,
): CompiledOperation[] {
  const pointers = new Map<string, string>();
  return operations.map((operation) => {
    const tool = compileOperation(operation, undefined, context);
    const other = tool && pointers.get(tool.name);
    if (other !== undefined) {
      const message = `The tool name "${tool?.name}" is already used on line ${context.lineOf(other)}.`;
      context.refuse(operation.pointer, message);
    }
    if (tool) pointers.set(tool.name, operation.pointer);
    return { tool, outcome: outcomeOf(operation, tool, []) };
  });
}

/** Each operation has its own issues, which refuse or change that operation only. */
function compileOneByOne(
  operations: readonly Operation[],
  context: CompileContext,
): CompiledOperation[] {
  const names = nameOperations(operations);
  return operations.map((operation, at) => {
    const { name, change } = names[at] ?? {};
    const { result, verdicts } = context.scope.collect(() => {
      const { refusal, pointer } = operation;
      if (refusal) context.refuse(refusal.pointer, refusal.message);
      if (change) context.report(pointer, change);
      return refusal ? undefined : compileOperation(operation, name, context);
    });
    const isRefused = verdicts.some(({ outcome }) => outcome === 'refused');
    const tool = isRefused ? undefined : result;
    return { tool, outcome: outcomeOf(operation, tool, verdicts) };
  });
}

/** The operations that are to become tools. An issue of the document if there are too many. */
function selectOperations(
  operations: readonly Operation[],
  { options: { policy }, refuseDocument, warn }: CompileContext,
): readonly Operation[] {
  const refuseMany = (most: number, advice: string) => {
    refuseDocument('/paths', `The document has more than ${most} operations. ${advice}`);
    return [];
  };
  if (operations.length > MAX_OPERATIONS) return refuseMany(MAX_OPERATIONS, 'Split it.');
  if (policy.kind === 'preset') return operations;
  const selected = operations.filter((operation) => isSelected(operation, policy));
  if (selected.length > MAX_REGISTERED_OPERATIONS) {
    return refuseMany(MAX_REGISTERED_OPERATIONS, 'Choose some with include or exclude.');
  }
  if (operations.length === 0) warn('/paths', 'The document has no operations.');
  else if (selected.length === 0) {
    warn('/paths', 'include and exclude leave no operation. Change them.');
  }
  return selected;
}

const isSelected = (operation: Operation, { include, exclude }: RegisteredPolicy): boolean =>
  (include === undefined || include.some((filter) => matches(operation, filter))) &&
  !exclude?.some((filter) => matches(operation, filter));

function matches({ value, method, path }: Operation, filter: OperationFilter): boolean {
  return (
    (filter.tag === undefined || tagsOf(value).includes(filter.tag)) &&
    (filter.method === undefined || filter.method.toUpperCase() === method) &&
    (filter.path === undefined || matchesPattern(filter.path, path)) &&
    (filter.operationId === undefined ||
      matchesPattern(filter.operationId, ownText(value, 'operationId') ?? ''))
  );
}

const MAX_TAGS = 100;
/** As long as a filter may be. */
const isTag = textUpTo(500);

/** The tags of operations, in the order in which they first occur. */
const listTags = (operations: readonly Operation[]): string[] =>
  [...new Set(operations.flatMap(({ value }) => tagsOf(value).filter(isTag)))].slice(0, MAX_TAGS);

function tagsOf(value: Operation['value']): readonly unknown[] {
  const tags = own(value, 'tags');
  return Array.isArray(tags) ? tags : [];
}
