import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Counts the responses of HTTP servers by their status. */
export interface ResponseCounts {
  /** The class of a server's responses. It counts when the head is written, which costs less than an event of each. */
  readonly CountedResponse: typeof ServerResponse;
  /** Counts a response that was written without that class. */
  add(status: number): void;
  entries(): Iterable<readonly [status: number, count: number]>;
}

/** HTTP statuses have three digits. */
const STATUSES = 1000;

type Headers = OutgoingHttpHeaders | OutgoingHttpHeaders[string][];

export function createResponseCounts(): ResponseCounts {
  const counts = new Float64Array(STATUSES);
  const add = (status: number): void => {
    counts[status] = (counts[status] ?? 0) + 1;
  };

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
    *entries() {
      for (const [status, count] of counts.entries()) if (count > 0) yield [status, count] as const;
    },
  };
}
