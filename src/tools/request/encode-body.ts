import { createHash } from 'node:crypto';
import { isObject, type JsonObject, own, setOwn } from '../../platform/kernel/plain-json.ts';
import type { BodyBinding } from '../model.ts';
import { argumentError } from './check-text.ts';
import { percentEncode } from './percent-encode.ts';
import {
  FORM,
  PIPE_DELIMITED,
  SPACE_DELIMITED,
  type StyleRule,
  textOf,
  type ValueStyle,
  writeDeepObject,
  writeStyle,
} from './write-style.ts';

/** A body as it is sent. */
export interface EncodedBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** Encodes the body of a call, or returns null if its arguments have none. Throws GatewayError `invalid_arguments`. */
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
const formStyles = (rule: StyleRule): { exploded: ValueStyle; joined: ValueStyle } => ({
  exploded: { rule, explode: true, encode: encodeField },
  joined: { rule, explode: false, encode: encodeField },
});

const STYLES = {
  form: formStyles(FORM),
  spaceDelimited: formStyles(SPACE_DELIMITED),
  pipeDelimited: formStyles(PIPE_DELIMITED),
};

/** application/x-www-form-urlencoded, in the styles of OpenAPI's `encoding`. */
function encodeForm({ encoding }: BodyBinding, value: unknown): string {
  const pairs = fields(value).flatMap(([name, member]) => {
    const { style, explode } =
      (own(encoding, name) as BodyBinding['encoding'][string] | undefined) ?? {};
    const key = encodeField(name);
    if (style === 'deepObject') return writeDeepObject(key, member, encodeField) ?? [];
    // Without a style, an object is sent as JSON (OpenAPI 3.1 "Encoding Object").
    const isPlainObject = isObject(member) && style === undefined && explode === undefined;
    const part = isPlainObject ? JSON.stringify(member) : member;
    const styles = STYLES[style === 'spaceDelimited' || style === 'pipeDelimited' ? style : 'form'];
    const isExploded = explode ?? (style ?? 'form') === 'form';
    return writeStyle(isExploded ? styles.exploded : styles.joined, key, part) ?? [];
  });
  return pairs.join('&');
}

/** multipart/form-data (RFC 7578): arrays become repeated parts, objects JSON. The boundary is a digest of the parts. */
function encodeMultipart({ encoding }: BodyBinding, value: unknown): EncodedBody {
  const parts = fields(value).flatMap(([name, member]) => {
    const declared = own(encoding, name) as BodyBinding['encoding'][string] | undefined;
    return (Array.isArray(member) ? member : [member]).map((item: unknown) => {
      const type =
        declared?.contentType ?? (isObject(item) || Array.isArray(item) ? 'application/json' : '');
      const typeLine = type ? `Content-Type: ${type}\r\n` : '';
      return `Content-Disposition: form-data; name="${quoteName(name)}"\r\n${typeLine}\r\n${textOf(item)}\r\n`;
    });
  });
  const digest = createHash('sha256').update(parts.join('\0')).digest('hex');
  const boundary = `part-${digest.slice(0, 40)}`;
  const text = `${parts.map((part) => `--${boundary}\r\n${part}`).join('')}--${boundary}--\r\n`;
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.from(text) };
}

/** Escapes a field name as browsers do (HTML "multipart/form-data encoding algorithm"). */
const quoteName = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** The fields of a form, without those that are null. */
function fields(value: unknown): [string, unknown][] {
  if (!isObject(value)) throw argumentError('body', 'must be an object: it is sent as a form.');
  return Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
}
