import { convertObj } from 'swagger2openapi';
import { parse as parseYaml } from 'yaml';
import { GatewayError } from '../../../src/platform/kernel/error.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
} from '../../../src/platform/kernel/plain-json.ts';
import { PUBLIC_DATA_TOOLS } from '../../../src/public-data/tool-domain.ts';
import { readDescription } from '../../../src/registrations/steps/read-description.ts';
import type { OperationOutcome } from '../../../src/tools/compile/compile-outcome.ts';
import type { Tool } from '../../../src/tools/model.ts';
import { createArgumentReader, rulesOf } from '../../../src/tools/request/read-arguments.ts';
import { createRequestEncoder } from '../../../src/tools/request/request-encoder.ts';
import { resolveNothing } from '../../../src/tools/request/resolve-code.ts';
import { type Call, checkCalls, type DescribedOperation } from './check-call.ts';
import type { CorpusDocument } from './documents.ts';
import { DESCRIPTION_URL } from './excerpt.ts';
import { generatedArguments, isWithinJson } from './generated-arguments.ts';

/** What became of a description, and of calls of its operations. */
export interface Played {
  readonly name: string;
  /** Of OpenAPI or Swagger. */
  readonly version: string;
  /** Why nothing could be compiled; null if it could. */
  readonly refusal: string | null;
  readonly operations: readonly OperationOutcome[];
  /** Operations that were called. */
  readonly called: number;
  /** What was refused, could not be sent, or is not as the description says, each with its operation. */
  readonly issues: readonly string[];
}

/** Operations of a description that are called, at equal distances: giant ones would take minutes. */
const MAX_CALLED = 40;

/** Registers a description without a gateway, and calls its operations without sending anything. */
export async function playDocument({ name, read }: CorpusDocument): Promise<Played> {
  const bytes = read();
  const root = readRoot(bytes);
  const facts = { name, version: String(root['openapi'] ?? root['swagger']) };
  const compiled = await register(bytes);
  if (compiled instanceof GatewayError) {
    return { ...facts, refusal: compiled.message, operations: [], called: 0, issues: [] };
  }
  const described = root['swagger'] === undefined ? root : await upgraded(root);
  const { operations, tools } = compiled;
  const called = sample(operations.filter(({ tool }) => tool !== null));
  const issues: string[] = [];
  for (const { tool: toolName, method, path } of called) {
    const tool = tools.get(toolName ?? '');
    if (!tool) throw new Error(`${toolName} is no tool.`);
    const operation = {
      root: described,
      path: pathOf(described, tool, path),
      method: method.toLowerCase(),
    };
    const found = await callIssues(tool, operation);
    issues.push(...found.map((issue) => `${method} ${path}: ${issue}`));
  }
  return { ...facts, refusal: null, operations, called: called.length, issues };
}

function sample<Item>(items: readonly Item[]): readonly Item[] {
  const step = Math.max(1, items.length / MAX_CALLED);
  return items.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

/** The path of a tool as the description writes it. A report cuts long ones. */
const pathOf = (root: JsonObject, tool: Tool, reported: string): string =>
  Object.hasOwn(ownObject(root, 'paths'), tool.path) ? tool.path : reported;

/** Calls an operation with the arguments that it requires, and with all. */
async function callIssues(tool: Tool, operation: DescribedOperation): Promise<string[]> {
  const issues = bodyIssues(tool, operation);
  const calls: Call[] = [];
  const readArguments = createArgumentReader(rulesOf(tool));
  const encode = createRequestEncoder(tool);
  for (const which of ['required', 'all'] as const) {
    try {
      const given = generatedArguments(tool, which);
      const { checked, issues: refused } = await readArguments(given, resolveNothing);
      const unforeseen = refused.filter(({ path }) => !isWithinJson(given, path));
      issues.push(...unforeseen.map(({ path, message }) => `argument ${path}: ${message}`));
      if (refused.length > 0) continue;
      calls.push({ tool, args: checked, request: encode(checked, () => undefined) });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      issues.push(`call: ${error.message}`);
    }
  }
  return [...new Set([...issues, ...(await checkCalls(operation, calls))])];
}

/** No operation that may have a body loses it. */
function bodyIssues({ body }: Tool, { root, path, method }: DescribedOperation): string[] {
  const operation = ownObject(ownObject(ownObject(root, 'paths'), path), method);
  const isLost = body === null && own(operation, 'requestBody') !== undefined && method !== 'get';
  return isLost ? ['body: is lost'] : [];
}

/** OpenAPI 3 for the libraries, by a converter that the gateway does not use. */
async function upgraded(root: JsonObject): Promise<JsonObject> {
  const options = { patch: true, warnOnly: true };
  const { openapi } = await convertObj(structuredClone(root), options);
  return openapi;
}

function readRoot(bytes: Uint8Array): JsonObject {
  const text = new TextDecoder().decode(bytes);
  const root: unknown = /^\s*\{/.test(text) ? JSON.parse(text) : parseYaml(text);
  return isObject(root) ? root : {};
}

/** Compiles a description as its registration does; the error if it cannot be. */
async function register(document: Uint8Array) {
  const description = {
    document,
    descriptionUrl: DESCRIPTION_URL,
    name: 'corpus',
    scheme: { type: 'none' },
    options: { baseUrl: null, include: null, exclude: [] },
    origins: null,
  } as const;
  // Some servers are on the author's machine.
  const urls = { allowPrivate: true, ownHosts: new Set<string>() };
  try {
    const { api, operations } = await readDescription(description, {
      domain: PUBLIC_DATA_TOOLS,
      urls,
    });
    return { operations, tools: new Map(api.tools.map((tool) => [tool.name, tool])) };
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}
