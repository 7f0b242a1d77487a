import type { CallContext } from '../../calls/tool-call.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import type { RequestFacts } from '../route.ts';

/** Characters of a client's name that are recorded. */
export const MAX_NAME_LENGTH = 100;

/** Who calls through a dialect. Without a `clientName`, the User-Agent identifies the client. */
export function callContextOf(
  request: RequestFacts,
  caller: Caller,
  dialect: 'plain' | 'http-sse' | 'streamable-http' | 'stateless' | 'dashboard',
  clientName?: string,
): CallContext {
  const { traceparent } = request.headers;
  const name = clientName ?? request.headers['user-agent'];
  return {
    caller,
    requestId: request.requestId,
    dialect,
    clientName: typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : null,
    clientIp: request.clientIp,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    memory: request.memory,
  };
}
