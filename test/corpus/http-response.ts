/** A response as received: the headers in their order and spelling, and the body without its framing. */
export interface HttpResponse {
  readonly statusLine: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

const HEAD_END = '\r\n\r\n';

/** Reads the responses of one connection; the last may be a stream that is still open. */
export function readResponses(received: Buffer, isHead = false): HttpResponse[] {
  const responses: HttpResponse[] = [];
  for (let rest = received; rest.length > 0; ) {
    const end = rest.indexOf(HEAD_END);
    if (end < 0) throw new Error(`Not the head of a response: ${rest.toString('latin1')}`);
    const head = readHead(rest.toString('latin1', 0, end));
    const framed = rest.subarray(end + HEAD_END.length);
    const { body, bytes } = readBody(head, framed, isHead);
    responses.push({ ...head, body });
    rest = framed.subarray(bytes);
  }
  return responses;
}

type Head = Omit<HttpResponse, 'body'>;

function readHead(text: string): Head {
  const [statusLine = '', ...lines] = text.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
  });
  return { statusLine, headers };
}

/** The value of a header; undefined when it was not sent. */
export const headerOf = ({ headers }: Head, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];

/** In the order of RFC 9112 section 6.3. */
function readBody(head: Head, framed: Buffer, isHead: boolean): { body: Buffer; bytes: number } {
  const isBodiless = isHead || /^HTTP\/1\.1 (1\d\d|204|304) /.test(head.statusLine);
  if (isBodiless) return { body: Buffer.alloc(0), bytes: 0 };
  if (headerOf(head, 'transfer-encoding') === 'chunked') return readChunks(framed);
  const bytes = Number(headerOf(head, 'content-length') ?? framed.length);
  return { body: framed.subarray(0, bytes), bytes };
}

function readChunks(framed: Buffer): { body: Buffer; bytes: number } {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = framed.indexOf('\r\n', at);
    if (lineEnd < 0) break;
    const size = Number.parseInt(framed.toString('latin1', at, lineEnd), 16);
    chunks.push(framed.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
    if (size === 0) break;
  }
  return { body: Buffer.concat(chunks), bytes: Math.min(at, framed.length) };
}
