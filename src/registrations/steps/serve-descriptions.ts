import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { GatewayError } from '../../platform/kernel/error.ts';
import { runWithin, WorkTooSlow } from '../../platform/kernel/run-within.ts';
import type { CompiledDocument } from '../../tools/compile/compile-document.ts';
import type { OperationOutcome } from '../../tools/compile/compile-outcome.ts';
import type { ToolDomain } from '../../tools/domain.ts';
import type { Tool } from '../../tools/model.ts';
import { createReport } from '../../tools/report/create-report.ts';
import { createArgumentValidator } from '../../tools/request/argument-validator.ts';
import { createRequestEncoder } from '../../tools/request/request-encoder.ts';
import { packTools } from '../../tools/tool-pieces.ts';
import {
  type Description,
  type ProposalReading,
  type ProposalSource,
  type ReadDeps,
  readDescription,
  readProposal,
} from './read-description.ts';
import type { ToolTraits } from './registration-steps.ts';

/** What the thread is asked to do. */
export type DescriptionWork =
  | ({ readonly kind: 'check' } & Description)
  /** `tools` names the tools to return. */
  | ({ readonly kind: 'load'; readonly tools: readonly string[] } & Description)
  | ({ readonly kind: 'propose' } & ProposalSource);

/** What each kind of work returns. */
export interface WorkResults {
  readonly check: Awaited<ReturnType<typeof checkDescription>>;
  /** The tools as they are stored. */
  readonly load: Uint8Array<ArrayBuffer>;
  readonly propose: ProposalReading;
}

export type DescriptionResult =
  | { readonly value: WorkResults[keyof WorkResults] }
  | {
      /** Why the work is refused. `cause` is for the log. */
      readonly refusal: Pick<GatewayError, 'code' | 'message' | 'details'> & { cause: string };
    };

/** Reads the descriptions that are posted to this worker thread. */
export function serveDescriptions(domain: ToolDomain): void {
  const deps: ReadDeps = { domain, urls: workerData };
  parentPort?.on('message', async (work: DescriptionWork) => {
    try {
      const { value, bytes } = await resultOf(work, deps);
      parentPort?.postMessage({ value }, bytes ? [bytes.buffer] : []);
    } catch (error) {
      const { code, message, details } =
        error instanceof GatewayError ? error : new GatewayError('internal');
      parentPort?.postMessage({ refusal: { code, message, details, cause: String(error) } });
    }
  });
}

/** The result, and the bytes in it that are handed over rather than copied. */
async function resultOf(
  work: DescriptionWork,
  deps: ReadDeps,
): Promise<{ value: WorkResults[keyof WorkResults]; bytes: Uint8Array<ArrayBuffer> | null }> {
  switch (work.kind) {
    case 'check': {
      const value = await checkDescription(work, deps);
      return { value, bytes: value.content };
    }
    case 'load': {
      const { api } = await readDescription(work, deps);
      const byName = new Map(api.tools.map((tool) => [tool.name, tool]));
      const tools = work.tools.flatMap((name) => byName.get(name) ?? []);
      const value = packTools(tools, api.baseUrl);
      return { value, bytes: value };
    }
    case 'propose': {
      const value = await readProposal(work, deps.domain.families);
      return { value, bytes: value.kind === 'draft' ? value.document : null };
    }
  }
}

/** Processor time for building a check. */
const MAX_BUILD_MS = 250;

/**
 * Compiles a description for its registration, and builds everything that a call of its tools needs: a tool that cannot be
 * built within its time is refused now, and not at its first call.
 */
async function checkDescription(description: Description, deps: ReadDeps) {
  const compiled = withoutUnbuildable(await readDescription(description, deps));
  const { tools } = compiled.api;
  return {
    baseUrl: baseUrlOf(compiled, description),
    tools: tools.map(({ name }) => name),
    traits: Object.fromEntries(tools.map((tool) => [tool.name, traitsOf(tool)])),
    report: { ...createReport(compiled) },
    /** The tools as they are stored. */
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
      createArgumentValidator(tool);
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
