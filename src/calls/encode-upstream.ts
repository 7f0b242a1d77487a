import type { CallOutcome } from './tool-call.ts';

/** `upstream` of a result: the request that was sent, without secrets, and the status of its response. */
export const encodeUpstream = ({ entry, response }: CallOutcome): string =>
  `{"method":"${entry.tool.method}","url":${JSON.stringify(response.url)},"status":${response.status}}`;
