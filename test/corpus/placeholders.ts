import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type HttpAnswer, headerOf } from './http-answer.ts';

/** Texts that differ from run to run, such as the address of a test's upstream, with the words that stand for them. */
export type Places = readonly (readonly [text: string, words: string])[];

/** Puts placeholders where answers differ from run to run; things that are the same get the same one. */
export interface Placeholders {
  inText(text: string): string;
  /** The body comes unpacked. */
  inAnswer(answer: HttpAnswer): HttpAnswer;
}

/** Ids by their form: that of a request, ULIDs, and that of a client stream. */
const IDS =
  /\b(?:(req)_[0-9a-f]{16}[0-9a-z]+|(aud|ten|key)_[0-7][0-9A-HJKMNP-TV-Z]{25}|(sse)_[0-9a-f]{32})\b/g;

/** Where a page of audit records ends: 13 digits of a moment, a point, `aud_` and 26 characters, in base64. */
const CURSOR = /(?<="nextCursor":")[\w-]{18}5hdWRf[\w-]{35}(?=")/g;

/** Members whose values are measured: times, and memory. */
const MEASURED =
  /"(durationMs|upstreamMs|latencyMs|p50Ms|p99Ms|uptimeSeconds|rssBytes|heapUsedBytes|heapTotalBytes|externalBytes)":\d+(\.\d+)?(e-\d+)?/g;

/** What has passed of the minute that a limit is for shows in what is left of it. */
const REST_OF_MINUTE = /(?<=^retry-after: |Retry in )(?:5\d|6[01])(?=$| s\.)/gm;
const LIMIT_ENDS = /(?<=^ratelimit: "key";r=\d+;t=)(?:5\d|6[01])$/gm;

const DATE = /^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/gm;

/** The one place that says what of an answer is not compared. One for each entry, so that its ids count from 1. */
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
      .replace(REST_OF_MINUTE, '<about 60>')
      .replace(LIMIT_ENDS, '<about 60>')
      .replace(DATE, 'Date: <now>');

  function inAnswer(answer: HttpAnswer): HttpAnswer {
    const plain = unpack(answer);
    const text = plain.toString();
    const stable = inText(text);
    const body = stable === text ? plain : Buffer.from(stable);
    const headers = answer.headers.map(([name, value]): [string, string] => {
      const said = isRight(name.toLowerCase(), value, answer, body !== plain) ? '<right>' : value;
      return [name, inText(`${name}: ${said}`).slice(name.length + 2)];
    });
    return { statusLine: answer.statusLine, headers, body };
  }

  return { inText, inAnswer };
}

/** A right length, and a right hash of a body that differs from run to run, need not be recorded beside the body. */
function isRight(name: string, value: string, { body }: HttpAnswer, isFilledIn: boolean): boolean {
  if (name === 'content-length') return body.length > 0 && value === String(body.length);
  return name === 'etag' && isFilledIn && value === `"${hashOf(body)}"`;
}

/** As the gateway makes the ETags of what it has in memory. */
const hashOf = (body: Buffer): string =>
  createHash('sha256').update(body).digest('base64url').slice(0, 22);

/** How well a body is packed is up to Node.js. */
function unpack(answer: HttpAnswer): Buffer {
  const coding = headerOf(answer, 'content-encoding');
  if (coding === 'br') return brotliDecompressSync(answer.body);
  return coding === 'gzip' ? gunzipSync(answer.body) : answer.body;
}
