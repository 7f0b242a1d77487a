import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { HttpRequest } from './corpus-request.ts';

/** Of larger bodies, only the hash and the first characters are recorded. */
const MAX_BODY_BYTES = 4096;
const SHOWN_CHARACTERS = 500;
/** For each value of a request. */
const MAX_SENT_CHARACTERS = 300;
const MAX_LINE_CHARACTERS = 110;

/** Header fields of almost every request, which are printed in one word. */
const KEYED_JSON = ['content-type: application/json', 'x-api-key: {{key}}'].join('\n');
/** Header fields of almost every response. */
const USUAL = [
  'x-request-id: <req 1>',
  'content-type: application/json; charset=utf-8',
  'content-length: <right>',
  'Date: <now>',
  'Connection: close',
].join('\n');

/** Replaces what differs from run to run; equal ids get the same placeholder. */
export type Normalise = (text: string) => string;

/** Ids by their format: request ids, ULIDs, and ids of client streams. */
const IDS =
  /\b(?:(req)_[0-9a-f]{16}[0-9a-z]+|(aud|ten|key|job|reg)_[0-7][0-9A-HJKMNP-TV-Z]{25}|(sse)_[0-9a-f]{32})\b/g;

/** The cursor of a page of audit records: 13 digits of a timestamp, a point, `aud_` and 26 characters, in base64. */
const CURSOR = /(?<="nextCursor":")[\w-]{18}5hdWRf[\w-]{35}(?=")/g;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // Measured times and memory.
  [
    /"(durationMs|upstreamMs|latencyMs|p50Ms|p99Ms|uptimeSeconds|rssBytes|freeBytes|sizeBytes|heapUsedBytes|heapTotalBytes|externalBytes)":\d+(\.\d+)?(e-\d+)?/g,
    '"$1":"<number>"',
  ],
  // The commit that runs, if git tells it.
  [/"commit":(?:null|"[0-9a-f]{7,}")/g, '"commit":"<commit>"'],
  [/(?<=^\d+\.\d+\.\d+)(?: \([0-9a-f]{7,}\))?$/gm, ' (<commit>)'],
  // The remaining seconds depend on how much of the minute of a limit has passed.
  [
    /(?<=^retry-after: |Retry in |^ratelimit: "key";r=\d+;t=)(?:5\d|6[01])(?=$| s\.)/gm,
    '<about 60>',
  ],
  [/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/gm, 'Date: <now>'],
];

/** Ids count from 1. `places` are strings such as the address of a test's upstream, each with its placeholder. */
export function createNormalise(places: readonly (readonly [string, string])[]): Normalise {
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();

  function nameId(id: string, ...kinds: readonly unknown[]): string {
    const known = ids.get(id);
    if (known) return known;
    const kind = String(kinds.find((name) => typeof name === 'string'));
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    ids.set(id, `<${kind} ${count}>`);
    return `<${kind} ${count}>`;
  }

  return (text) => {
    const named = text
      .replace(IDS, nameId)
      .replace(CURSOR, (cursor) =>
        Buffer.from(cursor, 'base64url').toString().replace(IDS, nameId),
      );
    const placed = places.reduce((sofar, [place, words]) => sofar.replaceAll(place, words), named);
    return PATTERNS.reduce((sofar, [pattern, words]) => sofar.replace(pattern, words), placed);
  };
}

/** A request as its entry declares it, to be read beside the response. */
export function printRequest({ method, path, headers, body }: HttpRequest): string {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${shorten(value)}`],
  );
  const head = [`${method} ${shorten(path)}`, ...fields].join('\n');
  const sent = typeof body === 'string' ? body : `base64 ${body?.toString('base64')}`;
  return quoteLines(
    `${head.replace(`\n${KEYED_JSON}`, ' (keyed JSON)')}${body?.length ? `\n${shorten(sent)}` : ''}`,
  );
}

export const shorten = (text: string): string =>
  text.length > MAX_SENT_CHARACTERS
    ? `${text.slice(0, MAX_SENT_CHARACTERS)}... (${text.length} characters)`
    : text;

/** The head of a response, and its body without chunks. */
export function readResponse(received: Buffer): { readonly head: string; readonly body: Buffer } {
  const end = received.indexOf('\r\n\r\n');
  const head = received.toString('latin1', 0, end).replaceAll('\r\n', '\n');
  const body = received.subarray(end + 4);
  return { head, body: /^transfer-encoding: chunked$/im.test(head) ? joinChunks(body) : body };
}

function joinChunks(framed: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < framed.length; ) {
    const begin = framed.indexOf('\r\n', at) + 2;
    const end = begin + Number.parseInt(framed.toString('latin1', at, begin), 16);
    chunks.push(framed.subarray(begin, end));
    at = end + 2;
  }
  return Buffer.concat(chunks);
}

/** A response, printed so that a change of any byte shows; `isWhole` also prints a large body in full. */
export function printResponse(received: Buffer, normalise: Normalise, isWhole = false): string {
  const { head, body } = readResponse(received);
  const plain = unpack(head, body);
  const text = plain.toString();
  const stable = normalise(text);
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const right = (body.length > 0 ? head : '')
    .replace(`content-length: ${body.length}`, 'content-length: <right>')
    // Of a body that is the same in every run, the hash is recorded.
    .replace(stable === text ? '' : `etag: "${hash}"`, (etag) => (etag ? 'etag: <right>' : ''));
  const printed = printBody(stable === text ? plain : Buffer.from(stable), isWhole);
  return `${normalise(right || head).replace(`\n${USUAL}`, ' (usual fields)')}\n${printed}`;
}

/** The compressed bytes depend on the version of Node.js. */
function unpack(head: string, body: Buffer): Buffer {
  const [, coding] = /^content-encoding: (\w+)$/im.exec(head) ?? [];
  if (coding === 'br') return brotliDecompressSync(body);
  return coding === 'gzip' ? gunzipSync(body) : body;
}

function printBody(body: Buffer, isWhole: boolean): string {
  if (body.length === 0) return '(no body)';
  const text = body.toString();
  if (body.length > MAX_BODY_BYTES && !isWhole) {
    const hash = createHash('sha256').update(body).digest('hex');
    const beginning = isUtf8(body) ? text.slice(0, SHOWN_CHARACTERS) : '';
    return `(${body.length} bytes of sha256 ${hash}, which begin with)\n${printText(beginning)}`;
  }
  if (!isUtf8(body)) return `(base64)\n${body.toString('base64')}`;
  return printJson(text) ?? `(text)\n${printText(text)}`;
}

/** JSON in lines that can be read, provided that the text is exactly that JSON without whitespace. */
function printJson(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? breakLines(value).join('\n') : null;
  } catch {
    return null;
  }
}

/** Lines hold as many members as fit. */
function breakLines(value: unknown, indent = 0): string[] {
  const line = JSON.stringify(value);
  if (indent + line.length <= MAX_LINE_CHARACTERS || typeof value !== 'object' || value === null) {
    return [line];
  }
  const isList = Array.isArray(value);
  const inner = indent + 2;
  const lines: string[] = [];
  let isOpen = false;
  const members = Object.entries(value);
  for (const [at, [name, member]] of members.entries()) {
    const broken = breakLines(member, inner);
    if (!isList) broken[0] = `${JSON.stringify(name)}: ${broken[0]}`;
    if (at < members.length - 1) broken.push(`${broken.pop()},`);
    const isShort = broken.length === 1;
    const joined = `${lines.at(-1)} ${broken[0]}`;
    if (isOpen && isShort && inner + joined.length <= MAX_LINE_CHARACTERS)
      lines.splice(-1, 1, joined);
    else lines.push(...broken);
    isOpen = isShort;
  }
  return [isList ? '[' : '{', ...lines.map((text) => `  ${text}`), isList ? ']' : '}'];
}

/** Text with a bar before each line; a line with control characters as JSON. */
export const printText = (text: string): string =>
  mapLines(text, (line) => (hasControls(line) ? JSON.stringify(line) : `|${line}`));

export const quoteLines = (text: string): string =>
  mapLines(text, (line) => `> ${hasControls(line) ? JSON.stringify(line) : line}`.trimEnd());

const mapLines = (text: string, print: (line: string) => string): string =>
  text.split('\n').map(print).join('\n');

const hasControls = (line: string): boolean => /\p{Cc}/u.test(line);
