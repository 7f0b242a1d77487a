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

/** Above this size, copying a body costs more than a second piece in one system call. */
const JOINED_BYTES = 16 * 1024;

declare module 'node:http' {
  interface ServerResponse {
    /** The encoded head, once it is made. */
    _header: string | null;
    _headerSent: boolean;
    /** Sends a piece of the body, and the head before the first one. */
    _send(data: unknown, encoding?: unknown, callback?: unknown, length?: number): boolean;
  }
}

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

    /** Node.js sends a head and a buffer as two pieces, which costs a twentieth of a cached response more than one. */
    override _send(
      data: unknown,
      encoding?: unknown,
      callback?: unknown,
      length?: number,
    ): boolean {
      const { _header: head, _headerSent: isSent } = this;
      if (isSent || head === null || !Buffer.isBuffer(data) || data.length > JOINED_BYTES) {
        return super._send(data, encoding, callback, length);
      }
      const joined = Buffer.allocUnsafe(head.length + data.length);
      joined.write(head, 'latin1');
      data.copy(joined, head.length);
      this._headerSent = true;
      return super._send(joined, null, callback, joined.length);
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
