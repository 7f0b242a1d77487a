import { GatewayError } from '../../platform/kernel/error.ts';
import { own } from '../../platform/kernel/plain-json.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { ParameterBinding, ParameterSource } from '../model.ts';
import { argumentError, cookieIssue, headerIssue, pathIssue, textIssue } from './check-text.ts';
import { percentEncode, percentEncodeReserved } from './percent-encode.ts';
import {
  COOKIE,
  type Encode,
  FORM,
  LABEL,
  MATRIX,
  PIPE_DELIMITED,
  SIMPLE,
  SPACE_DELIMITED,
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

const RULES = {
  simple: SIMPLE,
  label: LABEL,
  matrix: MATRIX,
  form: FORM,
  spaceDelimited: SPACE_DELIMITED,
  pipeDelimited: PIPE_DELIMITED,
};

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
  const encode = createEncode(binding);
  const name = binding.in === 'cookie' ? binding.name : percentEncode(binding.name.toWellFormed());
  if (contentType !== undefined) {
    const rule = binding.in === 'cookie' ? COOKIE : style === 'deepObject' ? FORM : RULES[style];
    const whole: ValueStyle = { rule, explode: false, encode };
    const isJson = /[/+]json\b/i.test(contentType);
    return (value) => writeStyle(whole, name, isJson ? JSON.stringify(value) : textOf(value));
  }
  if (style === 'deepObject') return (value) => writeDeepObject(name, value, encode);
  const rule = binding.in === 'cookie' ? COOKIE : RULES[style];
  const valueStyle: ValueStyle = { rule, explode, encode };
  return (value) => writeStyle(valueStyle, name, value);
}

/** Checks and encodes a string for the location of the parameter. */
function createEncode(binding: ParameterBinding): Encode {
  const check = (issueOf: (text: string) => string | undefined, text: string): string => {
    const issue = issueOf(text);
    if (issue) throw issueError(binding, issue);
    return text;
  };
  switch (binding.in) {
    case 'path':
      // A secret is the operator's: percent-encoding is enough to keep it one segment.
      return (text) => percentEncode(check(pathIssueFor(binding), text));
    case 'query':
      return binding.allowReserved
        ? (text) => percentEncodeReserved(check(textIssue, text))
        : (text) => percentEncode(check(textIssue, text));
    case 'header':
      return (text) => check(headerIssue, text);
    case 'cookie':
      return binding.source.kind === 'secret'
        ? (text) =>
            check(cookieIssue, text).replace(
              /[^\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]/gu,
              encodeURIComponent,
            )
        : (text) => percentEncode(check(cookieIssue, text));
  }
}

const pathIssueFor = ({ source }: ParameterBinding): ((text: string) => string | undefined) =>
  source.kind === 'secret'
    ? (text) => (/^\.{1,2}$/.test(text) ? 'must not be "." or "..".' : textIssue(text))
    : pathIssue;

function issueError(binding: ParameterBinding, issue: string): GatewayError {
  const { source } = binding;
  return source.kind === 'secret'
    ? new GatewayError(
        'missing_secret',
        `The value of ${source.secret} cannot be sent: it ${issue}`,
      )
    : argumentError(argumentName(binding), issue);
}

const argumentName = ({ name, source }: ParameterBinding): string =>
  source.kind === 'argument' ? source.property : name;
