import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import type { CompileOptions } from '../../src/tools/compile/compile-context.ts';
import {
  type CompiledDocument,
  compileDocument,
} from '../../src/tools/compile/compile-document.ts';
import { PRESET, type RegisteredPolicy } from '../../src/tools/compile/compile-policy.ts';
import { DefinitionError } from '../../src/tools/document/definition-error.ts';
import { parseDocument } from '../../src/tools/document/parse-document.ts';
import type { CompiledApi, Tool } from '../../src/tools/model.ts';

type TextOptions = Partial<CompileOptions>;

/** The policy for strangers, with nothing else asked for. */
export const REGISTERED: RegisteredPolicy = { kind: 'registered' };

/** Compiles a description, as a preset by default. */
export async function compileText(text: string, options?: TextOptions): Promise<CompiledApi> {
  return (await compileWhole(text, options)).api;
}

/** Compiles a description, and returns the outcomes and the warnings too. */
export async function compileWhole(
  text: string,
  options: TextOptions = {},
): Promise<CompiledDocument> {
  const parsed = await parseDocument(text, 'api.yaml');
  return compileDocument(parsed, { domain: PUBLIC_DATA_TOOLS, policy: PRESET, ...options });
}

/** Compiles a description as a registered API. */
export const registerText = (
  text: string,
  policy: Omit<RegisteredPolicy, 'kind'> = {},
): Promise<CompiledDocument> => compileWhole(text, { policy: { ...REGISTERED, ...policy } });

/** The `file:line: reason` lines of a text's faults. */
export async function issuesOf(text: string, options?: TextOptions): Promise<string[]> {
  try {
    await compileText(text, options);
    return [];
  } catch (error) {
    if (error instanceof DefinitionError) return error.message.split('\n');
    throw error;
  }
}

/** A JSON document with one path item. */
export function documentOf(operation: unknown, rest: Record<string, unknown> = {}): string {
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Example', version: '1' },
    servers: [{ url: 'https://api.example.com/v1' }],
    ...rest,
    paths: { '/things': operation },
  });
}

/** The tool of a document with one operation. */
export async function toolOf(
  operation: unknown,
  rest: Record<string, unknown> = {},
  options?: TextOptions,
): Promise<Tool> {
  const { tools } = await compileText(documentOf(operation, rest), options);
  const [tool] = tools;
  if (!tool) throw new Error('The document has no tool.');
  return tool;
}

/** A GET operation with these parameters. */
export const getWith = (...parameters: unknown[]): unknown => ({
  get: { operationId: 'get_things', parameters },
});

/** A POST operation with this JSON body. */
export const postWith = (schema: unknown, rest: Record<string, unknown> = {}): unknown => ({
  post: {
    operationId: 'make_thing',
    requestBody: { required: true, content: { 'application/json': { schema } } },
    ...rest,
  },
});
