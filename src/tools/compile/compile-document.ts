import { isObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import { createIssueList, type IssueList } from '../document/definition-error.ts';
import type { ParsedDocument } from '../document/parse-document.ts';
import { createReferenceResolver } from '../document/resolve-reference.ts';
import type { CompiledApi, Tool } from '../model.ts';
import { checkExtensions } from './check-extensions.ts';
import { cleanLine, MAX_TITLE_LENGTH } from './clean-text.ts';
import type { CompileContext, CompileOptions } from './compile-context.ts';
import { credentialIssue } from './compile-credential.ts';
import { compileOperation } from './compile-operation.ts';
import { type OperationOutcome, outcomeOf } from './compile-outcome.ts';
import { compileServer } from './compile-server.ts';
import { extensionsOf } from './extension-table.ts';
import { isPublicData } from './extensions.ts';
import { createFindingScope } from './findings.ts';
import { createSchemaConverter } from './input-schema.ts';
import { listOperations } from './list-operations.ts';
import { listTags } from './list-tags.ts';
import { nameOperations } from './name-operations.ts';
import type { Operation } from './operation.ts';
import { documentServers } from './operation-parts.ts';
import { selectOperations } from './select-operations.ts';
import { createTextReader } from './text-reader.ts';
import { createToolBudget } from './tool-budget.ts';
import { createWarningList, type Warning } from './warning-list.ts';

/** What the compiler made of a document. */
export interface CompiledDocument {
  readonly api: CompiledApi;
  /** One entry per selected operation, in the document's order. A preset's are all accepted. */
  readonly operations: readonly OperationOutcome[];
  /** Of all operations, to select them by. */
  readonly tags: readonly string[];
  readonly warnings: readonly Warning[];
}

/**
 * Compiles the operations of a description to tools. Throws DefinitionError with all issues of a preset. For a
 * registered API it throws only if there is no document to compile; any other issue is in `operations`.
 */
export function compileDocument(parsed: ParsedDocument, options: CompileOptions): CompiledDocument {
  const documentIssues = createIssueList(parsed.fileName, parsed.lineOf);
  const warnings = createWarningList();
  const context = createContext(parsed, options, { documentIssues, warn: warnings.add });
  const { root, scope } = context;
  checkExtensions(context);
  checkPolicy(context);
  const title = readTitle(context);
  const { result: baseUrl, verdicts } = scope.collect(() =>
    compileServer(documentServers(context), context),
  );
  // A stranger's operation may have another server; without one, it is refused itself.
  if (context.strict) scope.repeat(verdicts);
  const all = listOperations(context);
  const operations = selectOperations(all, context);
  const compiled = context.strict
    ? compilePreset(operations, context, documentIssues)
    : compileOneByOne(operations, context);
  documentIssues.throwIfAny();
  return {
    api: {
      title: title ?? parsed.fileName,
      baseUrl: baseUrl ?? '',
      isPublicData: isPublicData(root),
      tools: compiled.flatMap(({ tool }) => tool ?? []),
    },
    operations: compiled.map(({ outcome }) => outcome),
    tags: listTags(all),
    warnings: warnings.warnings(),
  };
}

/** The base address of an API; undefined if its description has no usable server. */
export function baseUrlOf(parsed: ParsedDocument, options: CompileOptions): string | undefined {
  const documentIssues = createIssueList(parsed.fileName, parsed.lineOf);
  const context = createContext(parsed, options, { documentIssues, warn: () => undefined });
  return context.scope.collect(() => compileServer(documentServers(context), context)).result;
}

interface Sinks {
  readonly documentIssues: IssueList;
  readonly warn: (pointer: string, message: string) => void;
}

function createContext(
  { root, lineOf }: ParsedDocument,
  options: CompileOptions,
  { documentIssues, warn }: Sinks,
): CompileContext {
  const strict = options.policy.kind === 'preset';
  const outermost = strict ? documentIssues.add : warn;
  const scope = createFindingScope(({ pointer, message }) => outermost(pointer, message));
  const issues = { add: scope.refuse };
  const references = createReferenceResolver(root, issues);
  const texts = createTextReader(options.policy, warn);
  return {
    root,
    options,
    strict,
    extensions: extensionsOf(options.domain),
    scope,
    issues,
    refuseDocument: documentIssues.add,
    references,
    texts,
    spendTool: createToolBudget(),
    schemas: createSchemaConverter({ kind: options.policy.kind, references, scope, texts }),
    lineOf,
    warn,
    report: scope.change,
  };
}

function checkPolicy({ options: { policy }, refuseDocument }: CompileContext): void {
  const credential = policy.kind === 'registered' ? policy.credential : undefined;
  const issue = credential && credentialIssue(credential);
  if (issue) refuseDocument('', issue);
}

function readTitle({ root, strict, report }: CompileContext): string | undefined {
  const info = own(root, 'info');
  const title = isObject(info) ? ownText(info, 'title') : undefined;
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
  issues: IssueList,
): CompiledOperation[] {
  const pointers = new Map<string, string>();
  return operations.map((operation) => {
    const tool = compileOperation(operation, undefined, context);
    const other = tool && pointers.get(tool.name);
    if (other !== undefined) {
      issues.add(
        operation.pointer,
        () => `The tool name "${tool?.name}" is already used on line ${context.lineOf(other)}.`,
      );
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
  return operations.map((operation) => {
    const assigned = names.get(operation);
    const { result, verdicts } = context.scope.collect(() => {
      const { refusal, pointer } = operation;
      if (refusal) context.issues.add(refusal.pointer, refusal.message);
      if (assigned?.change) context.report(pointer, assigned.change);
      return refusal ? undefined : compileOperation(operation, assigned?.name, context);
    });
    const isRefused = verdicts.some(({ outcome }) => outcome === 'refused');
    const tool = isRefused ? undefined : result;
    return { tool, outcome: outcomeOf(operation, tool, verdicts) };
  });
}
