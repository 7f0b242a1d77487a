/** Parses the HTTP responses of one connection as they arrive. */
export interface ResponseReader {
  add(chunk: Buffer): void;
}

interface HttpResponse {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** Calls `onResponse` with every complete response; `isHead` returns whether the next one is for a HEAD request. */
export function createResponseReader(
  isHead: () => boolean,
  onResponse: (response: HttpResponse) => void,
): ResponseReader {
  let received: Buffer = Buffer.alloc(0);

  function takeOne(): boolean {
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return false;
    const head = received.toString('latin1', 0, headEnd);
    const status = Number(head.slice(9, 12));
    const bodyAt = headEnd + 4;
    const end = bodyEnd(head, status, bodyAt);
    if (end === null) return false;
    const body = received.subarray(bodyAt, end);
    received = received.subarray(end);
    onResponse({ status, head, body });
    return true;
  }

  /** The offset at which the body ends; null if it is incomplete. */
  function bodyEnd(head: string, status: number, bodyAt: number): number | null {
    if (isHead() || status === 204 || status === 304 || status < 200) return bodyAt;
    if (/transfer-encoding: chunked/i.test(head)) {
      const last = received.indexOf('0\r\n\r\n', bodyAt);
      return last < 0 ? null : last + 5;
    }
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    return received.length < bodyAt + length ? null : bodyAt + length;
  }

  return {
    add(chunk) {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      while (takeOne());
    },
  };
}
