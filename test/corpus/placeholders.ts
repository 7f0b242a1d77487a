import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type HttpResponse, headerOf } from './http-response.ts';

/** Strings that differ from run to run, such as the address of a test's upstream, and their placeholders. */
export type Places = readonly (readonly [text: string, words: string])[];

/** Replaces what differs from run to run in responses by placeholders; equal values get the same one. */
export interface Placeholders {
  inText(text: string): string;
  /** The body of the result is decompressed. */
  inResponse(response: HttpResponse): HttpResponse;
}

/** Ids by their format: request ids, ULIDs, and ids of client streams. */
const IDS =
  /\b(?:(req)_[0-9a-f]{16}[0-9a-z]+|(aud|ten|key|job|reg)_[0-7][0-9A-HJKMNP-TV-Z]{25}|(sse)_[0-9a-f]{32})\b/g;

/** The cursor of a page of audit records: 13 digits of a timestamp, a point, `aud_` and 26 characters, in base64. */
const CURSOR = /(?<="nextCursor":")[\w-]{18}5hdWRf[\w-]{35}(?=")/g;

/** Members with measured values: times and memory. */
const MEASURED =
  /"(durationMs|upstreamMs|latencyMs|p50Ms|p99Ms|uptimeSeconds|rssBytes|freeBytes|sizeBytes|heapUsedBytes|heapTotalBytes|externalBytes)":\d+(\.\d+)?(e-\d+)?/g;

/** The commit that runs, if git tells it. */
const COMMIT = /"commit":(?:null|"[0-9a-f]{7,}")/g;
const RELEASE = /(?<=^\d+\.\d+\.\d+)(?: \([0-9a-f]{7,}\))?$/gm;

/** The remaining seconds depend on how much of the minute of a limit has passed. */
const REST_OF_MINUTE = /(?<=^retry-after: |Retry in )(?:5\d|6[01])(?=$| s\.)/gm;
const LIMIT_ENDS = /(?<=^ratelimit: "key";r=\d+;t=)(?:5\d|6[01])$/gm;

const DATE = /^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/gm;

/** Decides which parts of a response are not compared. Create one for each entry, so that its ids count from 1. */
export function createPlaceholders(places: Places): Placeholders {
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();

  function nameId(id: string, ...kinds: readonly unknown[]): string {
    const known = ids.get(id);
    if (known) return known;
    const kind = String(kinds.find((name) => typeof name === 'string'));
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const name = `<${kind} ${count}>`;
    ids.set(id, name);
    return name;
  }

  const inIds = (text: string): string => text.replace(IDS, nameId);

  const inText = (text: string): string =>
    places
      .reduce((sofar, [place, words]) => sofar.replaceAll(place, words), inIds(text))
      .replace(CURSOR, (cursor) => inIds(Buffer.from(cursor, 'base64url').toString()))
      .replace(MEASURED, '"$1":"<number>"')
      .replace(COMMIT, '"commit":"<commit>"')
      .replace(RELEASE, ' (<commit>)')
      .replace(REST_OF_MINUTE, '<about 60>')
      .replace(LIMIT_ENDS, '<about 60>')
      .replace(DATE, 'Date: <now>');

  function inResponse(response: HttpResponse): HttpResponse {
    const plain = unpack(response);
    const text = plain.toString();
    const stable = inText(text);
    const body = stable === text ? plain : Buffer.from(stable);
    const headers = response.headers.map(([name, value]): [string, string] => {
      const shown = isRight(name.toLowerCase(), value, response, body !== plain)
        ? '<right>'
        : value;
      return [name, inText(`${name}: ${shown}`).slice(name.length + 2)];
    });
    return { statusLine: response.statusLine, headers, body };
  }

  return { inText, inResponse };
}

/** A length that matches the body is not recorded, nor is a matching hash of a body that differs from run to run. */
function isRight(
  name: string,
  value: string,
  { body }: HttpResponse,
  isFilledIn: boolean,
): boolean {
  if (name === 'content-length') return body.length > 0 && value === String(body.length);
  return name === 'etag' && isFilledIn && value === `"${hashOf(body)}"`;
}

/** The ETag that the gateway computes for a body in memory. */
const hashOf = (body: Buffer): string =>
  createHash('sha256').update(body).digest('base64url').slice(0, 22);

/** The compressed bytes depend on the version of Node.js. */
function unpack(response: HttpResponse): Buffer {
  const coding = headerOf(response, 'content-encoding');
  if (coding === 'br') return brotliDecompressSync(response.body);
  return coding === 'gzip' ? gunzipSync(response.body) : response.body;
}
