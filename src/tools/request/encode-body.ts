import { createHash } from 'node:crypto';
import type { BodyBinding } from '../model.ts';
import { isObject, type JsonObject, own, setOwn } from '../plain-json.ts';
import { argumentError } from './check-text.ts';
import { percentEncode } from './percent-encode.ts';
import {
  FORM,
  PIPE_DELIMITED,
  SPACE_DELIMITED,
  textOf,
  writeDeepObject,
  writeStyle,
} from './write-style.ts';

/** A body as it goes over the wire. */
export interface EncodedBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** The body that a call's arguments make, or null when they have none. Throws GatewayError `invalid_arguments`. */
export function encodeBody(binding: BodyBinding, args: JsonObject): EncodedBody | null {
  const value = collect(binding, args);
  if (value === undefined) return null;
  switch (binding.kind) {
    case 'json':
      return { contentType: binding.contentType, bytes: Buffer.from(JSON.stringify(value)) };
    case 'text':
      return { contentType: binding.contentType, bytes: Buffer.from(textOf(value)) };
    case 'form':
      return { contentType: binding.contentType, bytes: Buffer.from(encodeForm(binding, value)) };
    case 'multipart':
      return encodeMultipart(binding, value);
  }
}

/** The body's value: lifted properties gathered again, and what is always sent put on top. */
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

const STYLES = { form: FORM, spaceDelimited: SPACE_DELIMITED, pipeDelimited: PIPE_DELIMITED };

/** application/x-www-form-urlencoded, with OpenAPI's `encoding` where it says a style. */
function encodeForm({ encoding }: BodyBinding, value: unknown): string {
  const encode = (text: string): string => percentEncode(text.toWellFormed());
  const pairs = fields(value).flatMap(([name, member]) => {
    const { style, explode } =
      (own(encoding, name) as BodyBinding['encoding'][string] | undefined) ?? {};
    const key = encode(name);
    if (style === 'deepObject') return writeDeepObject(key, member, encode) ?? [];
    // Without a style an object is one JSON text (OpenAPI 3.1 "Encoding Object").
    const isPlainObject = isObject(member) && style === undefined && explode === undefined;
    const rule = STYLES[style === 'spaceDelimited' || style === 'pipeDelimited' ? style : 'form'];
    const part = isPlainObject ? JSON.stringify(member) : member;
    return writeStyle(rule, key, part, explode ?? (style ?? 'form') === 'form', encode) ?? [];
  });
  return pairs.join('&');
}

/** multipart/form-data (RFC 7578): lists become repeated parts, objects JSON. The boundary is a digest of the parts. */
function encodeMultipart({ encoding }: BodyBinding, value: unknown): EncodedBody {
  const parts = fields(value).flatMap(([name, member]) => {
    const said = own(encoding, name) as BodyBinding['encoding'][string] | undefined;
    return (Array.isArray(member) ? member : [member]).map((item: unknown) => {
      const type =
        said?.contentType ?? (isObject(item) || Array.isArray(item) ? 'application/json' : '');
      const typeLine = type ? `Content-Type: ${type}\r\n` : '';
      return `Content-Disposition: form-data; name="${quoteName(name)}"\r\n${typeLine}\r\n${textOf(item)}\r\n`;
    });
  });
  const digest = createHash('sha256').update(parts.join('\0')).digest('hex');
  const boundary = `part-${digest.slice(0, 40)}`;
  const text = `${parts.map((part) => `--${boundary}\r\n${part}`).join('')}--${boundary}--\r\n`;
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.from(text) };
}

/** As browsers escape field names (HTML "multipart/form-data encoding algorithm"). */
const quoteName = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** The named values of a form; null ones count as left out. */
function fields(value: unknown): [string, unknown][] {
  if (!isObject(value)) throw argumentError('body', 'must be an object: it is sent as a form.');
  return Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
}
