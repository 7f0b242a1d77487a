import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

export type ResponseCounts = ReturnType<typeof createResponseCounts>;

/** HTTP statuses have three digits. */
const STATUSES = 1000;

type Headers = OutgoingHttpHeaders | OutgoingHttpHeaders[string][];

/** Counts the responses of HTTP servers by their status. */
export function createResponseCounts() {
  const counts = new Float64Array(STATUSES);
  /** Counts a response that was written without the class. */
  const add = (status: number): void => {
    counts[status] = (counts[status] ?? 0) + 1;
  };

  /** The class of a server's responses. It counts when the head is written, which costs less than an event of each. */
  class CountedResponse<R extends IncomingMessage> extends ServerResponse<R> {
    override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
      super.writeHead(status, reason as string, headers as OutgoingHttpHeaders);
      add(status);
      return this;
    }
  }

  return {
    CountedResponse,
    add,
    *entries(): Generator<readonly [status: number, count: number]> {
      for (const [status, count] of counts.entries()) if (count > 0) yield [status, count];
    },
  };
}
