import type { CallOutcome } from './tool-call.ts';

/** Encodes `upstream` of a result: the request, without secrets, and the response's status; null without an upstream. */
export const encodeUpstream = ({ entry, response }: CallOutcome): string =>
  entry.source === 'gateway'
    ? 'null'
    : JSON.stringify({ method: entry.tool.method, url: response.url, status: response.status });
