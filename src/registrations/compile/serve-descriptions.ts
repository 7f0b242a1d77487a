import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorCode, type ErrorDetails, GatewayError } from '../../platform/kernel/error.ts';
import type { ToolDomain } from '../../tools/domain.ts';
import { type CheckedDescription, checkDescription } from './check-description.ts';
import { type Description, type ReadDeps, readDescription } from './read-description.ts';
import { type SplitText, splitBody } from './split-body.ts';
import { packTools } from './tool-pieces.ts';

/** What the thread is asked to do. */
export type DescriptionWork =
  | { readonly kind: 'check'; readonly description: Description }
  | {
      readonly kind: 'load';
      readonly description: Description;
      /** Names of the tools to return. */
      readonly tools: readonly string[];
    }
  | { readonly kind: 'split'; readonly body: Uint8Array };

/** What it returns: as the work, or why it refuses. */
export type DescriptionResult =
  | { readonly kind: 'check'; readonly checked: CheckedDescription }
  | { readonly kind: 'load'; readonly content: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'split'; readonly split: SplitText }
  | {
      readonly kind: 'refusal';
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: ErrorDetails;
      /** For the log. */
      readonly cause: string;
    };

/** Reads the descriptions that are posted to this worker thread. */
export function serveDescriptions(domain: ToolDomain): void {
  const deps: ReadDeps = { domain, urls: workerData };
  parentPort?.on('message', async (work: DescriptionWork) => {
    const result = await resultOf(work, deps).catch(refuse);
    parentPort?.postMessage(result, buffersOf(result));
  });
}

async function resultOf(work: DescriptionWork, deps: ReadDeps): Promise<DescriptionResult> {
  switch (work.kind) {
    case 'check':
      return { kind: 'check', checked: await checkDescription(work.description, deps) };
    case 'load': {
      const { api } = await readDescription(work.description, deps);
      const byName = new Map(api.tools.map((tool) => [tool.name, tool]));
      const tools = work.tools.flatMap((name) => byName.get(name) ?? []);
      return { kind: 'load', content: packTools(tools, api.baseUrl) };
    }
    case 'split':
      return { kind: 'split', split: splitBody(work.body) };
  }
}

function refuse(error: unknown): DescriptionResult {
  const { code, message, details } =
    error instanceof GatewayError ? error : new GatewayError('internal');
  return { kind: 'refusal', code, message, details, cause: String(error) };
}

function buffersOf(result: DescriptionResult): ArrayBuffer[] {
  if (result.kind === 'check') return [result.checked.content.buffer];
  if (result.kind === 'load') return [result.content.buffer];
  if (result.kind === 'split' && result.split.document) return [result.split.document.buffer];
  return [];
}
