import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { HttpRequest } from './corpus-request.ts';
import type { HttpResponse } from './http-response.ts';

/** Of larger bodies, only the hash and the first characters are recorded. */
const MAX_BODY_BYTES = 4096;
const SHOWN_CHARACTERS = 500;
/** For each value of a request. */
const MAX_SENT_CHARACTERS = 300;

/** A request as its entry declares it, to be read beside the response. */
export function printRequest({ method, path, headers, body }: HttpRequest): string {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${shorten(value)}`],
  );
  const sent = body === undefined || body.length === 0 ? [] : ['', printSent(body)];
  return quoteLines([`${method} ${shorten(path)}`, ...fields, ...sent].join('\n'), '> ');
}

const printSent = (body: string | Buffer): string =>
  shorten(typeof body === 'string' ? body : `base64 ${body.toString('base64')}`);

export const shorten = (text: string): string =>
  text.length > MAX_SENT_CHARACTERS
    ? `${text.slice(0, MAX_SENT_CHARACTERS)}... (${text.length} characters)`
    : text;

/** A response, printed so that a change of any byte shows; `isWhole` also prints a large body in full. */
export function printResponse(response: HttpResponse, isWhole = false): string {
  const fields = response.headers.map(([name, value]) => `${name}: ${value}`);
  return [response.statusLine, ...fields, '', printBody(response.body, isWhole)].join('\n');
}

function printBody(body: Buffer, isWhole: boolean): string {
  if (body.length === 0) return '(no body)';
  if (body.length > MAX_BODY_BYTES && !isWhole) return printHash(body);
  if (!isUtf8(body)) return `(base64)\n${body.toString('base64')}`;
  const text = body.toString();
  return printJson(text) ?? `(text)\n${printText(text)}`;
}

function printHash(body: Buffer): string {
  const hash = createHash('sha256').update(body).digest('hex');
  const beginning = isUtf8(body) ? body.toString().slice(0, SHOWN_CHARACTERS) : '';
  return `(${body.length} bytes of sha256 ${hash}, which begin with)\n${printText(beginning)}`;
}

/** Indented JSON, provided that the text is exactly that JSON without whitespace. */
function printJson(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text
      ? `(JSON without blanks)\n${JSON.stringify(value, null, 2)}`
      : null;
  } catch {
    return null;
  }
}

/** Text with a bar before each line; a line with control characters as JSON. */
export const printText = (text: string): string =>
  mapLines(text, (line) => (hasControls(line) ? JSON.stringify(line) : `|${line}`));

export const quoteLines = (text: string, mark: string): string =>
  mapLines(text, (line) => `${mark}${hasControls(line) ? JSON.stringify(line) : line}`.trimEnd());

const mapLines = (text: string, print: (line: string) => string): string =>
  text.split('\n').map(print).join('\n');

const hasControls = (line: string): boolean => /\p{Cc}/u.test(line);
