import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';

/** A received request. */
interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real local upstream with one kind of misbehaviour for each path. */
export interface MisbehavingServer {
  readonly origin: string;
  readonly seen: readonly SeenRequest[];
  /** Connections accepted so far. */
  connections(): number;
  /** Connections open now. */
  openConnections(): number;
  /** Replaces the behaviour of one path. */
  on(path: string, behaviour: Behaviour): void;
  /** Resolves when a request for this path has arrived. */
  arrived(path: string): Promise<void>;
  close(): Promise<void>;
}

/** `count`: 1 for the first request to this path. */
export type Behaviour = (response: ServerResponse, request: IncomingMessage, count: number) => void;

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
export const GOOD_BODY = '{"weather":"sunny"}';
/** Larger than what is decompressed at once, and hard to compress. */
export const LARGE_BODY: Buffer = Buffer.from(
  JSON.stringify(Array.from({ length: 100_000 }, (_, index) => Math.sin(index))),
);
const BOMB = gzipSync(Buffer.alloc(20 * 1024 * 1024));

const ok: Behaviour = (response) => {
  response.writeHead(200, { ...JSON_TYPE, 'content-length': GOOD_BODY.length }).end(GOOD_BODY);
};

const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(code, { ...JSON_TYPE, ...headers }).end(`{"status":${code}}`);
  };

/** Misbehaves for the first `times` requests. */
export const first =
  (times: number, bad: Behaviour): Behaviour =>
  (response, request, count) =>
    (count <= times ? bad : ok)(response, request, count);

const raw =
  (text: string, after: 'end' | 'keep' | 'reset' = 'end'): Behaviour =>
  ({ socket }) => {
    if (!socket) return;
    socket.write(text, 'latin1', () => {
      if (after === 'end') socket.end();
      if (after === 'reset') socket.resetAndDestroy();
    });
  };

const encoded =
  (encoding: string, body: Buffer): Behaviour =>
  (response) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': encoding }).end(body);
  };

const endless: Behaviour = (response) => {
  response.writeHead(200, JSON_TYPE);
  const chunk = Buffer.alloc(16 * 1024, 'x');
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', pour);
  pour();
};

const tinyChunks: Behaviour = (response) => {
  response.writeHead(200, JSON_TYPE);
  for (const character of GOOD_BODY) response.write(character);
  response.end();
};

const compressible = Buffer.from(GOOD_BODY);

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  '/ok': ok,
  '/slow-headers': () => {},
  '/slow-body': (response) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': 100 }).write('{');
  },
  '/reset-at-once': ({ socket }) => socket?.resetAndDestroy(),
  '/close-at-once': ({ socket }) => socket?.destroy(),
  '/reset-mid-body': raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a":', 'reset'),
  '/end-mid-chunks': raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n'),
  '/length-too-long': raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a":1}'),
  '/length-too-short': raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}{"more":1}', 'keep'),
  '/not-http': raw('SSH-2.0-OpenSSH_9.9\r\n'),
  '/huge-headers': (response) => response.writeHead(200, { 'x-huge': 'x'.repeat(64 * 1024) }).end(),
  '/wrong-charset': (response) => {
    const eucKr = Buffer.from([0xb0, 0xa1]);
    response.writeHead(200, { 'content-type': 'text/xml; charset=UTF-8' }).end(eucKr);
  },
  '/tiny-chunks': tinyChunks,
  '/endless': endless,
  '/announced-too-large': (response) => {
    response.writeHead(200, { 'content-length': 10 ** 9 }).flushHeaders();
  },
  '/gzip': encoded('gzip', gzipSync(compressible)),
  '/deflate': encoded('deflate', deflateSync(compressible)),
  '/raw-deflate': encoded('deflate', deflateRawSync(compressible)),
  '/br': encoded('br', brotliCompressSync(compressible)),
  '/zstd': encoded('zstd', zstdCompressSync(compressible)),
  '/deflate-gzip': encoded('deflate, gzip', gzipSync(deflateSync(compressible))),
  '/twice-with-charset': encoded('GZIP,utf-8 ,x-gzip', gzipSync(gzipSync(compressible))),
  '/codings-in-two-fields': (response) => {
    response.writeHead(200, [
      ['content-encoding', 'br'],
      ['content-encoding', 'gzip'],
    ]);
    response.end(gzipSync(brotliCompressSync(compressible)));
  },
  '/three-codings': encoded(
    'gzip, br, deflate',
    deflateSync(brotliCompressSync(gzipSync(LARGE_BODY, { level: 0 }))),
  ),
  '/four-codings': encoded('gzip, gzip, gzip, gzip', compressible),
  '/twice-empty': encoded('deflate, gzip', Buffer.alloc(0)),
  '/deflate-gzip-lie': encoded('deflate, gzip', gzipSync(compressible)),
  '/deflate-gzip-cut': encoded('deflate, gzip', gzipSync(deflateSync(compressible).subarray(0, 9))),
  '/twice-bomb': encoded('gzip, gzip', gzipSync(BOMB)),
  '/charset-as-encoding': encoded('UTF-8', compressible),
  '/gzip-empty': encoded('gzip', Buffer.alloc(0)),
  '/gzip-lie': encoded('gzip', compressible),
  '/gzip-cut': encoded('gzip', gzipSync(compressible).subarray(0, 20)),
  '/gzip-and-more': encoded('gzip', Buffer.concat([gzipSync(compressible), Buffer.from('more')])),
  '/gzip-bomb': encoded('gzip', BOMB),
  '/gzip-large': encoded('gzip', gzipSync(Buffer.alloc(300 * 1024, 'x'))),
  '/cookies': (response) => {
    response.setHeader('set-cookie', ['a=1; Path=/', 'b=2; Path=/']);
    status(200)(response, response.req, 1);
  },
  '/early-hints': (response, request, count) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    ok(response, request, count);
  },
  '/endless-hints': ({ socket }) => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n'.repeat(100);
    const pour = (): void => {
      while (socket && !socket.destroyed && socket.write(hints));
    };
    socket?.on('drain', pour);
    pour();
  },
  '/304': raw('HTTP/1.1 304 Not Modified\r\ncontent-length: 1000000000\r\n\r\n'),
  '/500': status(500),
  '/503': status(503),
  '/redirect': status(302, { location: '/ok?from=redirect' }),
  '/redirect-loop': status(301, { location: '/redirect-loop' }),
  '/redirect-elsewhere': status(302, { location: 'http://elsewhere.example/ok' }),
  '/redirect-scheme': status(302, { location: 'gopher:///' }),
  '/redirect-unreadable': status(302, { location: 'http://[' }),
  '/redirect-nowhere': status(302),
};

export async function startMisbehavingServer(): Promise<MisbehavingServer> {
  const seen: SeenRequest[] = [];
  const behaviours = new Map(Object.entries(BEHAVIOURS));
  const waiting: { path: string; resolve: () => void }[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  const countOf = (path: string): number => seen.filter(({ url }) => pathOf(url) === path).length;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const path = pathOf(url);
    seen.push({ method, url, headers, body: await readText(request) });
    for (const waiter of waiting) if (waiter.path === path) waiter.resolve();
    (behaviours.get(path) ?? status(404))(response, request, countOf(path));
  }

  const server = createServer((request, response) => void serve(request, response));
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    origin: `http://127.0.0.1:${port}`,
    seen,
    connections: () => connections,
    openConnections: () => sockets.size,
    on: (path, behaviour) => void behaviours.set(path, behaviour),
    arrived: (path) =>
      countOf(path) > 0
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ path, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function pathOf(url: string): string {
  return url.split('?')[0] ?? '';
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
