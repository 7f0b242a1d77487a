import { type ArgumentIssue, GatewayError } from '../../platform/kernel/error.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { memoizeEach } from '../../platform/kernel/memo.ts';
import {
  createWorkerQueue,
  WorkerFailure,
  type WorkerQueue,
  WorkerTimeout,
} from '../../platform/kernel/worker-queue.ts';
import type { Tool } from '../model.ts';
import { createMeasure, isInexact } from './argument-bounds.ts';
import type { ArgumentResult, ArgumentWork } from './argument-worker.ts';
import { type RoundedArguments, restoreExact, roundArguments } from './exact-arguments.ts';
import type { Arguments } from './lenient-arguments.ts';
import { type CheckedArguments, rulesOf } from './read-arguments.ts';
import type { ResolveCode } from './resolve-code.ts';

/** Processor time for the check of one call's arguments. */
const CHECK_MS = 100;
/** Time for waiting and for the check, and so for what V8 does not interrupt, with which the thread ends. */
const JOB_TIMEOUT_MS = 5000;
/** Calls that may wait for the thread, in all and of one tenant. */
const MAX_WAITING = 512;
const MAX_WAITING_PER_TENANT = 64;
/** V8's heap on the thread: three times what the checks that it keeps take. */
const MAX_HEAP_MIB = 96;
/** Names may lead to further names once: a place to coordinates. */
const MAX_ROUNDS = 3;

export interface ThreadCall {
  readonly resolveCode: ResolveCode;
  /** Calls of different tenants take turns. */
  readonly tenantId: string;
}

export type ArgumentThread = ReturnType<typeof createArgumentThread>;

export interface ArgumentThreadOptions {
  /** `argument-worker.ts`. */
  readonly script: URL;
  /** A thread without calls keeps the checks that it has built for this long, in milliseconds. Default: 5 minutes. */
  readonly idleMs?: number;
}

/**
 * Checks the arguments of tools whose schemas strangers wrote, on a thread where a deadline ends whatever the schema makes
 * the check do. Rejects with `overloaded` while too many calls wait, and with what `resolveCode` fails with.
 */
export function createArgumentThread(options: ArgumentThreadOptions) {
  const queue = createWorkerQueue<ArgumentResult>({
    idleMs: 300_000,
    ...options,
    maxHeapMib: MAX_HEAP_MIB,
    maxWaiting: MAX_WAITING,
    maxWaitingPerLane: MAX_WAITING_PER_TENANT,
    jobTimeoutMs: JOB_TIMEOUT_MS,
    countsWaiting: true,
  });
  const measureOf = memoizeEach(({ inputSchema }: Tool) => createMeasure(inputSchema));

  /** What no schema permits, and what a thread could not receive as it is. */
  function measureIssue(tool: Tool, received: Arguments) {
    const measured = measureOf(tool)(received);
    return typeof measured === 'number' ? undefined : measured;
  }

  return {
    async read(
      tool: Tool,
      received: Arguments,
      { resolveCode, tenantId }: ThreadCall,
    ): Promise<CheckedArguments> {
      const refuse = (issue: ArgumentIssue): CheckedArguments => ({
        meant: received,
        checked: { ...received },
        issues: [issue],
      });
      let { rounded, exact } = { rounded: received, exact: [] } as RoundedArguments;
      let issue = measureIssue(tool, received);
      if (issue && isInexact(issue)) {
        ({ rounded, exact } = roundArguments(received));
        issue = measureIssue(tool, rounded);
      }
      if (issue) return refuse(issue);
      let resolved: ArgumentWork['resolved'] = [];
      for (let round = 1; ; round++) {
        const { version } = tool;
        const work = { version, received: rounded, exact, timeoutMs: CHECK_MS, resolved };
        let result = await askThread(queue, work, tenantId);
        if (result.kind === 'unknown') {
          result = await askThread(queue, { ...work, rules: rulesOf(tool) }, tenantId);
        }
        if (result.kind === 'checked') return restored(tool, result.result);
        if (result.kind === 'late') return refuse(tooSlow(result.argument));
        if (result.kind !== 'names' || round === MAX_ROUNDS) return refuse(NOT_CHECKED);
        const found = result.names.map(async (name) => [name, await resolveCode(...name)] as const);
        resolved = [...resolved, ...(await Promise.all(found))];
      }
    },
    close: queue.close,
  };
}

/** The digits that were written, in place of the doubles that were checked. */
function restored(tool: Tool, { exact = [], ...result }: CheckedArguments): CheckedArguments {
  const isJson = (name: string): boolean =>
    tool.body?.kind === 'json' && (tool.body.lifted ?? ['body']).includes(name);
  return { ...result, checked: restoreExact(result.checked, exact, isJson) };
}

async function askThread(
  queue: WorkerQueue<ArgumentResult>,
  work: ArgumentWork,
  tenantId: string,
): Promise<ArgumentResult> {
  try {
    return await queue.run(() => ({ value: work }), tenantId);
  } catch (error) {
    if (error instanceof WorkerTimeout) throw new GatewayError('overloaded');
    if (error instanceof WorkerFailure) return { kind: 'failed' };
    throw error;
  }
}

function tooSlow(argument: string | null): ArgumentIssue {
  const limit = `longer than ${CHECK_MS} ms to check against the schema of the API`;
  return argument === null
    ? { path: '', message: `The arguments take ${limit}. Send fewer or simpler ones.` }
    : {
        path: pointerTo('', argument),
        message: `takes ${limit}. Send a shorter or simpler value.`,
      };
}

const NOT_CHECKED: ArgumentIssue = {
  path: '',
  message:
    'The arguments cannot be checked against the schema of the API. Send simpler arguments, or simplify the schema.',
};
