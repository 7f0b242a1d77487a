import { createHash } from 'node:crypto';
import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import { isObject, type JsonObject, own, setOwn } from '../../platform/kernel/plain-json.ts';
import type {
  BodyBinding,
  ParameterBinding,
  ParameterLocation,
  PropertyEncoding,
  Tool,
  UpstreamRequest,
} from '../model.ts';
import { argumentError } from './check-text.ts';
import {
  createParameterWriter,
  type ParameterWriter,
  type SecretLookup,
} from './parameter-writer.ts';
import {
  percentEncode,
  STYLE_RULES,
  textOf,
  type ValueStyle,
  writeDeepObject,
  writeStyle,
} from './write-style.ts';

/**
 * Encodes validated arguments as a request. No argument can change the scheme, host, port, depth of the path or names
 * of the headers. Arguments that are absent or null are omitted. Throws only GatewayError: `invalid_arguments`, or
 * `missing_secret` with the name of the secret in its message.
 */
export type RequestEncoder = (
  args: Record<string, unknown>,
  secrets: SecretLookup,
) => UpstreamRequest;

/** How the gateway introduces itself to upstreams that tenants choose: they learn neither its version nor its operator. */
export const USER_AGENT = 'tool-gateway';

const ACCEPT = 'application/json, application/xml;q=0.9, */*;q=0.5';

const commonHeaders = ({ userAgent = USER_AGENT, contactHeader, accept = ACCEPT }: Tool) => ({
  'user-agent': userAgent,
  ...(contactHeader && { [contactHeader.toLowerCase()]: userAgent }),
  accept,
});

/** Prepares the parts of a tool's requests that are the same for every call. */
export function createRequestEncoder(tool: Tool): RequestEncoder {
  const { origin, pathname } = new URL(tool.baseUrl);
  const pathWriters = createPathWriters(tool, pathname.replace(/\/+$/, ''));
  const queryWriters = writersOf(tool, 'query');
  const cookieWriters = writersOf(tool, 'cookie');
  const headerWriters = bindingsOf(tool, 'header').map((binding) => ({
    name: binding.name.toLowerCase(),
    write: createParameterWriter(binding),
  }));
  const common = commonHeaders(tool);

  function encode(args: Record<string, unknown>, secrets: SecretLookup): UpstreamRequest {
    const address = writeAddress(pathWriters, queryWriters, args, secrets);
    assertSameTarget(origin, address.sent);
    const headers: Record<string, string> = { ...common };
    for (const { name, write } of headerWriters) {
      const written = write(args, secrets);
      if (written) headers[name] = written.sent;
    }
    const cookies = cookieWriters.flatMap((write) => write(args, secrets)?.sent ?? []);
    if (cookies.length > 0) headers['cookie'] = cookies.join('; ');
    const body = tool.body && encodeBody(tool.body, args);
    if (body) headers['content-type'] = body.contentType;
    return {
      method: tool.method,
      origin,
      path: address.sent,
      headers,
      body: body?.bytes ?? null,
      redactedUrl: origin + address.shown,
    };
  }

  return (args, secrets) => {
    try {
      return encode(args, secrets);
    } catch (error) {
      if (!(error instanceof RangeError)) throw toGatewayError(error);
      // JSON.stringify ran out of stack.
      throw new GatewayError('invalid_arguments', 'The arguments are nested too deeply.');
    }
  };
}

const bindingsOf = (tool: Tool, location: ParameterLocation): ParameterBinding[] =>
  tool.parameters.filter((binding) => binding.in === location);

const writersOf = (tool: Tool, location: ParameterLocation): ParameterWriter[] =>
  bindingsOf(tool, location).map(createParameterWriter);

/** The path template as writers, including one for each literal part. */
function createPathWriters(tool: Tool, basePath: string): ParameterWriter[] {
  const bindings = new Map(bindingsOf(tool, 'path').map((binding) => [binding.name, binding]));
  // Odd parts of the split are names.
  return (basePath + tool.path).split(/\{([^{}]*)\}/).map((part, index) => {
    const binding = index % 2 === 1 ? bindings.get(part) : undefined;
    if (binding) return createParameterWriter(binding);
    const literal = encodeLiteral(part);
    const written = { sent: literal, shown: literal };
    return () => written;
  });
}

/** A path as written in the document, with only the characters that a path cannot contain percent-encoded. */
const encodeLiteral = (text: string): string =>
  text
    .toWellFormed()
    .replace(/%(?![0-9a-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/giu, encodeURIComponent);

function writeAddress(
  path: readonly ParameterWriter[],
  query: readonly ParameterWriter[],
  args: Record<string, unknown>,
  secrets: SecretLookup,
): { sent: string; shown: string } {
  let sent = '';
  let shown = '';
  for (const write of path) {
    const part = write(args, secrets);
    sent += part?.sent ?? '';
    shown += part?.shown ?? '';
  }
  let separator = '?';
  for (const write of query) {
    const part = write(args, secrets);
    if (!part) continue;
    sent += separator + part.sent;
    shown += separator + part.shown;
    separator = '&';
  }
  return { sent, shown };
}

/**
 * Paths and queries that every parser leaves as they are: no segment starts with a dot, and no character is encoded or
 * means anything else.
 */
const PLAIN = /^(?:\/(?!\.|%2e)[\w\-.~!$&()*+,;=:@%]*)+(?:\?[\w\-.~!$&()*+,;=:@%/?]*)?$/i;

/** The last line of defence: a URL that a parser would read differently is never sent. Parsing takes longer than the rest. */
function assertSameTarget(origin: string, path: string): void {
  if (PLAIN.test(path)) return;
  // Not the constructor: its error would carry the URL, including secrets, into the log.
  const address = origin + path;
  const isPath = path.startsWith('/') && !path.includes('#');
  if (!isPath || URL.parse(address)?.href !== address) {
    throw new GatewayError('internal', undefined, {
      cause: new Error('The encoded URL is not in its normal form.'),
    });
  }
}

/** A body as it is sent. */
interface EncodedBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** Encodes the body of a call, or returns null if its arguments have none. Throws GatewayError `invalid_arguments`. */
function encodeBody(binding: BodyBinding, args: JsonObject): EncodedBody | null {
  const value = collect(binding, args);
  if (value === undefined) return null;
  const { contentType } = binding;
  switch (binding.kind) {
    case 'json':
      return { contentType, bytes: Buffer.from(JSON.stringify(value)) };
    case 'text':
      return { contentType, bytes: Buffer.from(textOf(value)) };
    case 'form':
      return { contentType, bytes: Buffer.from(encodeForm(binding, value)) };
    case 'multipart':
      return encodeMultipart(binding, value);
  }
}

/** The value of the body: the lifted properties, overridden by those with fixed values. */
function collect({ lifted, fixed, required }: BodyBinding, args: JsonObject): unknown {
  const hasFixed = Object.keys(fixed).length > 0;
  if (!lifted) {
    const whole = own(args, 'body');
    if (!hasFixed) return whole;
    return whole === undefined || isObject(whole) ? merged(whole ?? {}, fixed) : whole;
  }
  const given: Record<string, unknown> = {};
  for (const name of lifted) if (Object.hasOwn(args, name)) given[name] = args[name];
  const isGiven = Object.keys(given).length > 0;
  return isGiven || hasFixed || required ? merged(given, fixed) : undefined;
}

function merged(value: JsonObject, fixed: JsonObject): JsonObject {
  const result: Record<string, unknown> = {};
  for (const source of [value, fixed]) {
    for (const [key, member] of Object.entries(source)) setOwn(result, key, member);
  }
  return result;
}

const encodeField = (text: string): string => percentEncode(text.toWellFormed());

/** Prepared once, so that a call allocates none of them. */
const fieldStyles = (style: 'form' | 'spaceDelimited' | 'pipeDelimited') => {
  const joined: ValueStyle = { rule: STYLE_RULES[style], explode: false, encode: encodeField };
  return { joined, exploded: { ...joined, explode: true } };
};

const FIELD_STYLES = {
  form: fieldStyles('form'),
  spaceDelimited: fieldStyles('spaceDelimited'),
  pipeDelimited: fieldStyles('pipeDelimited'),
};

const encodingOf = ({ encoding }: BodyBinding, name: string): PropertyEncoding =>
  Object.hasOwn(encoding, name) ? (encoding[name] ?? {}) : {};

/** application/x-www-form-urlencoded, in the styles of OpenAPI's `encoding`. */
function encodeForm(binding: BodyBinding, value: unknown): string {
  const pairs = fields(value).flatMap(([name, member]) => {
    const { style, explode, delimiter } = encodingOf(binding, name);
    const key = encodeField(name);
    if (delimiter !== undefined && Array.isArray(member)) {
      const rule = { ...STYLE_RULES.form, joiner: encodeField(delimiter) };
      return writeStyle({ rule, explode: false, encode: encodeField }, key, member) ?? [];
    }
    if (style === 'deepObject') return writeDeepObject(key, member, encodeField) ?? [];
    // Without a style, an object is sent as JSON (OpenAPI 3.1 "Encoding Object").
    const isPlainObject = isObject(member) && style === undefined && explode === undefined;
    const part = isPlainObject ? JSON.stringify(member) : member;
    const isDelimited = style === 'spaceDelimited' || style === 'pipeDelimited';
    const { exploded, joined } = FIELD_STYLES[isDelimited ? style : 'form'];
    const isExploded = explode ?? (style ?? 'form') === 'form';
    return writeStyle(isExploded ? exploded : joined, key, part) ?? [];
  });
  return pairs.join('&');
}

/** multipart/form-data (RFC 7578): arrays become repeated parts, objects JSON. The boundary is a digest of the parts. */
function encodeMultipart(binding: BodyBinding, value: unknown): EncodedBody {
  const parts = fields(value).flatMap(([name, member]) => {
    const encoding = encodingOf(binding, name);
    return (Array.isArray(member) ? member : [member]).map((item: unknown) => {
      const { type, content } = encoding.isFile ? fileOf(item, encoding) : textPart(item, encoding);
      const fileName = encoding.isFile ? `; filename="${quoteName(name)}"` : '';
      const typeLine = type ? `Content-Type: ${type}\r\n` : '';
      const head = `Content-Disposition: form-data; name="${quoteName(name)}"${fileName}\r\n${typeLine}\r\n`;
      return Buffer.concat([Buffer.from(head), content, LINE_END]);
    });
  });
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part).update('\0');
  const boundary = `part-${digest.digest('hex').slice(0, 40)}`;
  const opening = Buffer.from(`--${boundary}\r\n`);
  const closing = Buffer.from(`--${boundary}--\r\n`);
  const bytes = Buffer.concat([...parts.flatMap((part) => [opening, part]), closing]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes };
}

const LINE_END = Buffer.from('\r\n');

interface Part {
  readonly type: string | undefined;
  readonly content: Buffer;
}

const textPart = (item: unknown, { contentType }: PropertyEncoding): Part => ({
  type: contentType ?? (typeof item === 'object' ? 'application/json' : undefined),
  content: Buffer.from(textOf(item)),
});

/** A file given in base64, also as a `data:` URL with its type. Text that cannot be base64 is the file itself. */
function fileOf(item: unknown, { contentType }: PropertyEncoding): Part {
  const text = textOf(item);
  const [, type, data] = /^data:([\w.+-]+\/[\w.+-]+)?;base64,(.*)$/s.exec(text) ?? [];
  const encoded = data ?? text;
  const isBase64 = encoded.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded);
  return {
    type: type ?? contentType,
    content: isBase64 ? Buffer.from(encoded, 'base64') : Buffer.from(text),
  };
}

/** Escapes a field name as browsers do (HTML "multipart/form-data encoding algorithm"). */
const quoteName = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** The fields of a form, without those that are null. */
function fields(value: unknown): [string, unknown][] {
  if (!isObject(value)) throw argumentError('body', 'must be an object: it is sent as a form.');
  return Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
}
