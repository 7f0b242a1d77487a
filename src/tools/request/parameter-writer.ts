import { GatewayError } from '../../platform/kernel/error.ts';
import { own } from '../../platform/kernel/plain-json.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { ParameterBinding, ParameterSource } from '../model.ts';
import { argumentError, cookieIssue, headerIssue, pathIssue, textIssue } from './check-text.ts';
import {
  type Encode,
  percentEncode,
  percentEncodeReserved,
  STYLE_RULES,
  type StyleRule,
  textOf,
  type ValueStyle,
  writeDeepObject,
  writeStyle,
} from './write-style.ts';

/** Looks up the secret with this name, decoded. Undefined if it is not configured. */
export type SecretLookup = (name: string) => Secret | undefined;

/** A parameter as it is sent, and with its secret redacted. */
export interface Written {
  readonly sent: string;
  readonly shown: string;
}

/** Writes one parameter of a call. Undefined if the parameter is omitted. Throws GatewayError. */
export type ParameterWriter = (
  args: Record<string, unknown>,
  secrets: SecretLookup,
) => Written | undefined;

const REDACTED = 'REDACTED';

/** Prepares one parameter for writing: `name=value` in queries and cookies, only the value elsewhere. */
export function createParameterWriter(binding: ParameterBinding): ParameterWriter {
  const { source } = binding;
  const write = createValueWriter(binding);
  if (source.kind === 'secret') return createSecretWriter(source, write);
  return (args) => {
    const value = source.kind === 'fixed' ? source.value : own(args, source.property);
    const sent = value === undefined || value === null ? undefined : write(value);
    if (sent !== undefined) return { sent, shown: sent };
    if (binding.in !== 'path') return undefined;
    throw argumentError(argumentName(binding), 'is required: it is part of the path.');
  };
}

function createSecretWriter(
  { secret: name, prefix, description }: ParameterSource & { kind: 'secret' },
  write: (value: unknown) => string | undefined,
): ParameterWriter {
  return (_, secrets) => {
    const value = secrets(name)?.reveal();
    if (!value) {
      const message = `The gateway has no value for ${name}; its operator must set it.`;
      const advice = description === null ? message : `${message} ${description}`;
      throw new GatewayError('missing_secret', advice);
    }
    // RFC 7617: the operator configures user:password.
    const credential = prefix === 'Basic ' ? Buffer.from(value).toString('base64') : value;
    return { sent: write(prefix + credential) ?? '', shown: write(REDACTED) ?? '' };
  };
}

/** How a value of this binding is written. The writer returns undefined if the value leaves nothing to write. */
function createValueWriter(binding: ParameterBinding): (value: unknown) => string | undefined {
  const { style, explode, contentType } = binding;
  const isCookie = binding.in === 'cookie';
  const encode = createEncode(binding);
  const name = isCookie ? binding.name : percentEncode(binding.name.toWellFormed());
  if (style === 'deepObject' && contentType === undefined) {
    return (value) => writeDeepObject(name, value, encode);
  }
  const rule = ruleOf(binding);
  const isWhole = contentType !== undefined;
  const valueStyle: ValueStyle = { rule, explode: explode && !isWhole, encode };
  if (!isWhole) return (value) => writeStyle(valueStyle, name, value);
  const serialise = /[/+]json\b/i.test(contentType) ? JSON.stringify : textOf;
  return (value) => writeStyle(valueStyle, name, serialise(value));
}

function ruleOf({ in: location, style, delimiter }: ParameterBinding): StyleRule {
  const rule =
    STYLE_RULES[location === 'cookie' ? 'cookie' : style === 'deepObject' ? 'form' : style];
  if (delimiter === undefined) return rule;
  return { ...rule, joiner: location === 'header' ? delimiter : percentEncode(delimiter) };
}

function createEncode(binding: ParameterBinding): Encode {
  const isSecret = binding.source.kind === 'secret';
  const checked =
    (issueOf: (text: string) => string | undefined, encode: Encode): Encode =>
    (text) => {
      const issue = issueOf(text);
      if (issue) throw issueError(binding, issue);
      return encode(text);
    };
  switch (binding.in) {
    case 'path':
      // A secret is the operator's: percent-encoding is enough to keep it one segment.
      if (binding.isGreedy) return checked(segmentsIssue, encodeSegments);
      return checked(isSecret ? secretPathIssue : pathIssue, percentEncode);
    case 'query':
      return checked(textIssue, binding.allowReserved ? percentEncodeReserved : percentEncode);
    case 'header':
      return checked(headerIssue, (text) => text);
    case 'cookie':
      return checked(cookieIssue, isSecret ? encodeCookieSecret : percentEncode);
  }
}

/** What is wrong with a value of several segments. An empty one could make the path begin with another host. */
const segmentsIssue = (text: string): string | undefined =>
  pathIssue(text) ?? (/^\/|\/\//.test(text) ? 'must not have an empty segment.' : undefined);

const encodeSegments: Encode = (text) => text.split('/').map(percentEncode).join('/');

const secretPathIssue = (text: string): string | undefined =>
  /^\.{1,2}$/.test(text) ? 'must not be "." or "..".' : textIssue(text);

const encodeCookieSecret: Encode = (text) =>
  text.replace(/[^\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]/gu, encodeURIComponent);

function issueError(binding: ParameterBinding, issue: string): GatewayError {
  const { source } = binding;
  if (source.kind !== 'secret') return argumentError(argumentName(binding), issue);
  const message = `The value of ${source.secret} cannot be sent: it ${issue}`;
  return new GatewayError('missing_secret', message);
}

const argumentName = ({ name, source }: ParameterBinding): string =>
  source.kind === 'argument' ? source.property : name;
