import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_STREAM_HEADERS } from '../../events/event-stream.ts';
import { frameMessage } from './frame-message.ts';
import { isId, isObject, type RpcId } from './json-rpc.ts';
import type { McpResponse } from './mcp-dialect.ts';
import type { Encoded } from './splice.ts';

/** How long a client waits without a word, and the time between two words. */
const PROGRESS_INTERVAL_MS = 2000;

/** What a client wants its progress notifications marked with. */
export type ProgressToken = NonNullable<RpcId>;

/** The token in `params._meta`; undefined when the client wants to hear nothing of its call. */
export function progressTokenOf(params: unknown): ProgressToken | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined;
  const token = isObject(meta) ? meta['progressToken'] : undefined;
  return isId(token) ? (token ?? undefined) : undefined;
}

/**
 * Calls `tell` with a progress notification for every two seconds that `work` still takes; `spentMs` is what it has
 * taken already. Never rejects.
 */
export async function tellProgress(
  work: Promise<unknown>,
  token: ProgressToken,
  tell: (notification: Buffer) => void,
  spentMs = 0,
): Promise<void> {
  const startedMs = performance.now() - spentMs;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    tell(encodeProgress(token, seconds));
  }, PROGRESS_INTERVAL_MS);
  await work.catch(() => undefined);
  clearInterval(timer);
}

const encodeProgress = (progressToken: ProgressToken, progress: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: {
        progressToken,
        progress,
        message: `Waiting for the upstream, ${progress} s so far.`,
      },
    }),
  );

/** `work` never rejects. The answer as JSON if it comes soon; else as an event stream that tells of progress until it comes. */
export async function answerWithProgress(
  work: Promise<Encoded>,
  token: ProgressToken,
): Promise<McpResponse> {
  const waiting = new AbortController();
  const soon = await Promise.race([
    work,
    sleep(PROGRESS_INTERVAL_MS, null, { signal: waiting.signal }).catch(() => null),
  ]).finally(() => waiting.abort());
  if (soon) return { status: 200, body: soon };
  return {
    stream: (response) => {
      response.writeHead(200, EVENT_STREAM_HEADERS);
      const write = (message: Encoded): void => {
        if (response.destroyed) return;
        response.cork();
        for (const piece of frameMessage(message)) response.write(piece);
        response.uncork();
      };
      write(encodeProgress(token, PROGRESS_INTERVAL_MS / 1000));
      void tellProgress(work, token, write, PROGRESS_INTERVAL_MS);
      void work.then(write).finally(() => response.end());
    },
  };
}
