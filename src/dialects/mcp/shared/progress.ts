import { setTimeout as sleep } from 'node:timers/promises';
import { startEventStream } from '../../../events/event-stream.ts';
import type { Awaitable } from '../../../platform/kernel/awaitable.ts';
import {
  isId,
  type RpcId,
  type RpcRequest,
  stringifyNotification,
} from '../../json-rpc/json-rpc.ts';
import { type RequestState, TOOLS_CALL } from '../../json-rpc/methods.ts';
import type { Encoded } from '../../json-rpc/splice.ts';
import type { RequestHeaders, RouteResult } from '../../route.ts';
import { acceptsEvents, metaOf } from './detect-dialect.ts';
import { frameMessage } from './encode.ts';

/** Time until the first progress notification, and between two of them. */
const PROGRESS_INTERVAL_MS = 2000;

/** The value by which a client recognises progress notifications of one request. */
type ProgressToken = NonNullable<RpcId>;

/** The token in `params._meta`; undefined if the client does not want progress notifications. */
function progressTokenOf(params: unknown): ProgressToken | undefined {
  const token = metaOf(params)['progressToken'];
  return isId(token) ? (token ?? undefined) : undefined;
}

/** How far a call has come, for a client that wants to know. */
export interface CallProgress {
  readonly token: ProgressToken;
  /** Units of a range that have ended, and all of them; 0 of a call that is one request. */
  ended: number;
  units: number;
}

/** The progress of a request; undefined if it is not a call, or the client does not want progress notifications. */
export function progressOf({ method, params }: RpcRequest): CallProgress | undefined {
  const token = method === TOOLS_CALL ? progressTokenOf(params) : undefined;
  return token === undefined ? undefined : { token, ended: 0, units: 0 };
}

/** The state of a request whose call tells how far it has come. */
export const withProgress = (
  { cancellation, query, limited }: RequestState,
  progress: CallProgress,
): RequestState => ({
  ...{ cancellation, query, limited },
  onProgress: (ended, units) => Object.assign(progress, { ended, units }),
});

/** Sends a progress notification every two seconds until `work` settles. Never rejects, and neither does `work`. */
export async function reportProgress(
  work: Promise<unknown>,
  progress: CallProgress,
  send: (notification: Buffer) => void,
  elapsedMs = 0,
): Promise<void> {
  const startedMs = performance.now() - elapsedMs;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    send(encodeProgress(progress, seconds));
  }, PROGRESS_INTERVAL_MS);
  await work;
  clearInterval(timer);
}

function encodeProgress({ token, ended, units }: CallProgress, seconds: number): Buffer {
  const reached =
    units === 0
      ? { progress: seconds, message: `Waiting for the upstream, ${seconds} s so far.` }
      : {
          // It must grow with each notification, also while no unit ends.
          progress: ended + seconds / 1000,
          total: units,
          message: `${ended} of ${units} units, ${seconds} s so far.`,
        };
  const params = { progressToken: token, ...reached };
  return Buffer.from(stringifyNotification('notifications/progress', params));
}

/**
 * Sends the response to a request as JSON, or as an event stream with progress notifications if the request is a slow
 * call whose client wants them. `work` never rejects.
 */
export function sendResponse(
  work: Awaitable<Encoded>,
  progress: CallProgress | undefined,
  headers: RequestHeaders,
): Awaitable<RouteResult> {
  if (progress === undefined || !(work instanceof Promise) || !acceptsEvents(headers)) return work;
  return sendWithProgress(work, progress);
}

async function sendWithProgress(
  work: Promise<Encoded>,
  progress: CallProgress,
): Promise<RouteResult> {
  const waiting = new AbortController();
  const early = await Promise.race([
    work,
    sleep(PROGRESS_INTERVAL_MS, null, { signal: waiting.signal }).catch(() => null),
  ]).finally(() => waiting.abort());
  if (early) return early;
  return {
    stream: (response) => {
      startEventStream(response);
      const write = (message: Encoded): void => {
        if (response.destroyed) return;
        response.cork();
        for (const piece of frameMessage(message)) response.write(piece);
        response.uncork();
      };
      write(encodeProgress(progress, PROGRESS_INTERVAL_MS / 1000));
      void reportProgress(work, progress, write, PROGRESS_INTERVAL_MS);
      void work.then(write).finally(() => response.end());
    },
  };
}
