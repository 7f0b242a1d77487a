import { createHash } from 'node:crypto';
import { GatewayError } from '../../platform/kernel/error.ts';
import { runWithin, WorkTooSlow } from '../../platform/kernel/run-within.ts';
import type { CompiledDocument } from '../../tools/compile/compile-document.ts';
import type { OperationOutcome } from '../../tools/compile/compile-outcome.ts';
import type { Tool } from '../../tools/model.ts';
import { createReport } from '../../tools/report/create-report.ts';
import { createArgumentValidator } from '../../tools/request/argument-validator.ts';
import { WHOLE_MATCHING } from '../../tools/request/matching.ts';
import { createRequestEncoder } from '../../tools/request/request-encoder.ts';
import type { CompiledRegistration, ToolTraits } from '../steps/registration-steps.ts';
import { type Description, type ReadDeps, readDescription } from './read-description.ts';
import { packTools } from './tool-pieces.ts';

/** Processor time for building a check. The number of its schema objects is bounded before. */
const MAX_BUILD_MS = 250;

export interface CheckedDescription extends Omit<CompiledRegistration, 'compiledTools'> {
  /** The tools as they are stored. */
  readonly content: Uint8Array<ArrayBuffer>;
}

/**
 * Compiles a description for its registration, and builds everything that a call of its tools needs: a tool that cannot be
 * built within its time is refused now, and not at its first call.
 */
export async function checkDescription(
  description: Description,
  deps: ReadDeps,
): Promise<CheckedDescription> {
  const compiled = withoutUnbuildable(await readDescription(description, deps));
  const { tools } = compiled.api;
  return {
    baseUrl: baseUrlOf(compiled, description),
    tools: tools.map(({ name }) => name),
    traits: Object.fromEntries(tools.map((tool) => [tool.name, traitsOf(tool)])),
    report: { ...createReport(compiled) },
    content: packTools(tools, compiled.api.baseUrl),
  };
}

/** An API of which every operation has a server of its own needs no other, but has no origin for a credential. */
function baseUrlOf({ api }: CompiledDocument, { scheme }: Description): string {
  const [first] = api.tools;
  if (api.baseUrl !== '' || first === undefined) return api.baseUrl;
  if (scheme.type === 'none') return first.baseUrl;
  throw new GatewayError(
    'unprocessable',
    'The description names no server to which the credential may be sent. Give the address of the API as base_url.',
  );
}

function withoutUnbuildable(compiled: CompiledDocument): CompiledDocument {
  const { api, operations } = compiled;
  const refused = new Map(
    api.tools.flatMap((tool) => {
      const reason = refusalOf(tool);
      return reason === undefined ? [] : [[tool.name, reason] as const];
    }),
  );
  if (refused.size === 0) return compiled;
  const refuse = (outcome: OperationOutcome): OperationOutcome => {
    const reason = refused.get(outcome.tool ?? '');
    return reason === undefined ? outcome : { ...outcome, tool: null, outcome: 'refused', reason };
  };
  const tools = api.tools.filter(({ name }) => !refused.has(name));
  return { ...compiled, api: { ...api, tools }, operations: operations.map(refuse) };
}

function refusalOf(tool: Tool): string | undefined {
  try {
    runWithin(MAX_BUILD_MS, () => {
      createArgumentValidator(tool, WHOLE_MATCHING);
      createRequestEncoder(tool);
    });
  } catch (error) {
    return error instanceof WorkTooSlow
      ? 'Its arguments take too long to validate. Simplify their schemas, or split the operation.'
      : 'Its arguments cannot be validated. Simplify their schemas.';
  }
  return undefined;
}

function traitsOf({ title, description, inputSchema, ...request }: Tool): ToolTraits {
  const { version: _version, ...sent } = request;
  return {
    description: digest([title, description]),
    parameters: digest(inputSchema),
    request: digest(sent),
    origin: new URL(request.baseUrl).origin,
  };
}

const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url');
