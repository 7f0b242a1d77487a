import { setTimeout as sleep } from 'node:timers/promises';
import { startEventStream } from '../../../events/event-stream.ts';
import type { Awaitable } from '../../../platform/kernel/awaitable.ts';
import {
  isId,
  type RpcId,
  type RpcRequest,
  stringifyNotification,
} from '../../json-rpc/json-rpc.ts';
import { TOOLS_CALL } from '../../json-rpc/methods.ts';
import type { Encoded } from '../../json-rpc/splice.ts';
import type { RequestHeaders, RouteResult } from '../../route.ts';
import { acceptsEvents, metaOf } from './detect-dialect.ts';
import { frameMessage } from './encode.ts';

/** Time until the first progress notification, and between two of them. */
const PROGRESS_INTERVAL_MS = 2000;

/** The value by which a client recognises progress notifications of one request. */
type ProgressToken = NonNullable<RpcId>;

/** The token in `params._meta`; undefined if the client does not want progress notifications. */
export function progressTokenOf(params: unknown): ProgressToken | undefined {
  const token = metaOf(params)['progressToken'];
  return isId(token) ? (token ?? undefined) : undefined;
}

/** Sends a progress notification every two seconds until `work` settles. Never rejects, and neither does `work`. */
export async function reportProgress(
  work: Promise<unknown>,
  token: ProgressToken,
  send: (notification: Buffer) => void,
  elapsedMs = 0,
): Promise<void> {
  const startedMs = performance.now() - elapsedMs;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    send(encodeProgress(token, seconds));
  }, PROGRESS_INTERVAL_MS);
  await work;
  clearInterval(timer);
}

const encodeProgress = (progressToken: ProgressToken, progress: number): Buffer =>
  Buffer.from(
    stringifyNotification('notifications/progress', {
      progressToken,
      progress,
      message: `Waiting for the upstream, ${progress} s so far.`,
    }),
  );

/**
 * Sends the response to a request as JSON, or as an event stream with progress notifications if the request is a slow
 * call whose client wants them. `work` never rejects.
 */
export function sendResponse(
  work: Awaitable<Encoded>,
  { method, params }: RpcRequest,
  headers: RequestHeaders,
): Awaitable<RouteResult> {
  const token = method === TOOLS_CALL ? progressTokenOf(params) : undefined;
  if (token === undefined || !(work instanceof Promise) || !acceptsEvents(headers)) return work;
  return sendWithProgress(work, token);
}

async function sendWithProgress(
  work: Promise<Encoded>,
  token: ProgressToken,
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
      write(encodeProgress(token, PROGRESS_INTERVAL_MS / 1000));
      void reportProgress(work, token, write, PROGRESS_INTERVAL_MS);
      void work.then(write).finally(() => response.end());
    },
  };
}
