import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { HttpRequest } from './corpus-request.ts';
import type { HttpResponse } from './http-response.ts';

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

/** A request as its entry declares it, to be read beside the response. */
export function printRequest({ method, path, headers, body }: HttpRequest): string {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${shorten(value)}`],
  );
  const head = [`${method} ${shorten(path)}`, ...fields].join('\n');
  const sent = body === undefined || body.length === 0 ? '' : `\n${printSent(body)}`;
  return quoteLines(`${head.replace(`\n${KEYED_JSON}`, ' (keyed JSON)')}${sent}`, '> ');
}

const printSent = (body: string | Buffer): string =>
  shorten(typeof body === 'string' ? body : `base64 ${body.toString('base64')}`);

export const shorten = (text: string): string =>
  text.length > MAX_SENT_CHARACTERS
    ? `${text.slice(0, MAX_SENT_CHARACTERS)}... (${text.length} characters)`
    : text;

/** A response, printed so that a change of any byte shows; `isWhole` also prints a large body in full. */
export function printResponse(response: HttpResponse, isWhole = false): string {
  const fields = response.headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  const head = `${response.statusLine}\n${fields}`.replace(`\n${USUAL}`, ' (usual fields)');
  return `${head}\n${printBody(response.body, isWhole)}`;
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

export const quoteLines = (text: string, mark: string): string =>
  mapLines(text, (line) => `${mark}${hasControls(line) ? JSON.stringify(line) : line}`.trimEnd());

const mapLines = (text: string, print: (line: string) => string): string =>
  text.split('\n').map(print).join('\n');

const hasControls = (line: string): boolean => /\p{Cc}/u.test(line);
