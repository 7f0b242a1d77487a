import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createRandom, mutate, type Random } from './random.ts';

/** An upstream that mutates shipped samples: truncated, nested, encoded, compressed, or with wrong headers. */
const { samplesDir, seed, secret, origins } = workerData as {
  samplesDir: string;
  seed: number;
  secret: string;
  origins: number;
};
const random = createRandom(seed);
const samples = readdirSync(samplesDir, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(json|xml|txt)$/.test(name))
  .map((name) => readFileSync(join(samplesDir, name)))
  .filter(({ length }) => length < 100_000);

const nest = (bytes: Buffer): Buffer => {
  const depth = 1 + random.below(300);
  return random.chance(0.5)
    ? Buffer.concat([Buffer.from('['.repeat(depth)), bytes, Buffer.from(']'.repeat(depth))])
    : Buffer.concat([Buffer.from('<a>'.repeat(depth)), bytes, Buffer.from('</a>'.repeat(depth))]);
};

/** Inserts the secret, as an upstream that repeats what it received. */
function insertSecret(bytes: Buffer): Buffer {
  const spelling = random.pick([
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    Buffer.from(`user:${secret}`).toString('base64'),
  ]);
  const at = bytes.indexOf(random.chance(0.5) ? '"' : '>') + 1;
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(spelling), bytes.subarray(at)]);
}

function makeResponse(): Buffer {
  let body: Buffer = random.pick(samples);
  if (random.chance(0.2)) body = insertSecret(body);
  if (random.chance(0.5)) body = mutate(body, random);
  if (random.chance(0.1)) body = nest(body);
  if (random.chance(0.05)) body = Buffer.from(body.toString(), 'utf16le');
  const encoding = random.chance(0.3)
    ? random.pick(['gzip', 'deflate', 'br', 'identity', 'x'])
    : '';
  if (encoding === 'gzip' || encoding === 'x') body = gzipSync(body);
  if (encoding === 'deflate') body = deflateSync(body);
  if (encoding === 'br') body = brotliCompressSync(body, { params: {} });
  if (encoding && random.chance(0.3)) body = mutate(body, random);
  return Buffer.concat([Buffer.from(headFor(body, encoding), 'latin1'), body]);
}

const TYPES = [
  'application/json',
  'application/json;charset=UTF-8',
  'text/xml',
  'text/xml;charset=EUC-KR',
  'text/html',
  'text/plain;charset=x-unknown',
  'image/png',
  'x'.repeat(500),
  '',
];

function headFor(body: Buffer, encoding: string): string {
  const status = random.chance(0.8) ? 200 : random.pick([204, 301, 304, 400, 404, 429, 500]);
  const length = random.chance(0.9) ? body.length : random.below(2 * body.length + 10);
  const lines = [
    `HTTP/1.1 ${status} ${random.chance(0.9) ? 'OK' : 'x'.repeat(100)}`,
    `content-type: ${random.pick(TYPES)}`,
    random.chance(0.95) ? `content-length: ${length}` : '',
    encoding ? `content-encoding: ${encoding}` : '',
    random.chance(0.02) ? 'location: http://127.0.0.1:1/elsewhere' : '',
    random.chance(0.02) ? 'set-cookie: a=b' : '',
    'connection: close',
  ];
  return `${lines.filter(Boolean).join('\r\n')}\r\n\r\n`;
}

function serve(socket: Socket, source: Random): void {
  socket.on('error', () => undefined);
  socket.once('data', () => {
    const response = makeResponse();
    if (source.chance(0.003)) socket.destroy();
    else socket.end(source.chance(0.03) ? mutate(response, source) : response);
  });
}

/** Listens on a port of its own: a circuit that broken responses open belongs to one origin. */
async function listen(): Promise<number> {
  const server = createServer((socket) => serve(socket, random)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

parentPort?.postMessage(await Promise.all(Array.from({ length: origins }, listen)));
