import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { ParameterBinding, ParameterSource } from '../model.ts';
import { own } from '../plain-json.ts';
import { argumentError, cookieFault, headerFault, pathFault, textFault } from './check-text.ts';
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
  writeDeepObject,
  writeStyle,
} from './write-style.ts';

/** Gives the secret of an environment name in its decoded form; undefined when it is not configured. */
export type SecretLookup = (name: string) => Secret | undefined;

/** A parameter as it is sent, and as it may be shown. */
export interface Written {
  readonly sent: string;
  readonly shown: string;
}

/** Writes one parameter of a call; undefined when it is left out. Throws GatewayError. */
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

/** Prepares the writing of one parameter: `name=value` in queries and cookies, the value alone elsewhere. */
export function createParameterWriter(binding: ParameterBinding): ParameterWriter {
  const { source } = binding;
  const write = createValueWriter(binding);
  if (source.kind === 'secret') return createSecretWriter(source, write);
  return (args) => {
    const value = source.kind === 'fixed' ? source.value : own(args, source.property);
    const sent = value === undefined || value === null ? undefined : write(value);
    if (sent !== undefined) return { sent, shown: sent };
    if (binding.in !== 'path') return undefined;
    throw argumentError(argumentName(binding), 'is required: it is a part of the path.');
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
    // RFC 7617: the operator gives user:password.
    const credential = prefix === 'Basic ' ? Buffer.from(value).toString('base64') : value;
    return { sent: write(prefix + credential) ?? '', shown: write(REDACTED) ?? '' };
  };
}

/** How a value of this binding becomes text; undefined when nothing of it is left to write. */
function createValueWriter(binding: ParameterBinding): (value: unknown) => string | undefined {
  const { style, explode, contentType } = binding;
  const encode = createEncode(binding);
  const name = binding.in === 'cookie' ? binding.name : percentEncode(binding.name.toWellFormed());
  if (contentType !== undefined) {
    const rule = binding.in === 'cookie' ? COOKIE : style === 'deepObject' ? FORM : RULES[style];
    const isJson = /[/+]json\b/i.test(contentType);
    return (value) =>
      writeStyle(rule, name, isJson ? JSON.stringify(value) : textOf(value), false, encode);
  }
  if (style === 'deepObject') return (value) => writeDeepObject(name, value, encode);
  const rule = binding.in === 'cookie' ? COOKIE : RULES[style];
  return (value) => writeStyle(rule, name, value, explode, encode);
}

/** Checks and encodes a text for the place where the binding puts it. */
function createEncode(binding: ParameterBinding): Encode {
  const check = (faultOf: (text: string) => string | undefined, text: string): string => {
    const fault = faultOf(text);
    if (fault) throw faultError(binding, fault);
    return text;
  };
  switch (binding.in) {
    case 'path':
      // A secret is the operator's, and percent-encoding is enough to keep it one segment.
      return (text) => percentEncode(check(pathFaultFor(binding), text));
    case 'query':
      return binding.allowReserved
        ? (text) => percentEncodeReserved(check(textFault, text))
        : (text) => percentEncode(check(textFault, text));
    case 'header':
      return (text) => check(headerFault, text);
    case 'cookie':
      return binding.source.kind === 'secret'
        ? (text) =>
            check(cookieFault, text).replace(
              /[^\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]/gu,
              encodeURIComponent,
            )
        : (text) => percentEncode(check(cookieFault, text));
  }
}

const pathFaultFor = ({ source }: ParameterBinding): ((text: string) => string | undefined) =>
  source.kind === 'secret'
    ? (text) => (/^\.{1,2}$/.test(text) ? 'must not be "." or "..".' : textFault(text))
    : pathFault;

function faultError(binding: ParameterBinding, fault: string): GatewayError {
  const { source } = binding;
  return source.kind === 'secret'
    ? new GatewayError(
        'missing_secret',
        `The value of ${source.secret} cannot be sent: it ${fault}`,
      )
    : argumentError(argumentName(binding), fault);
}

const argumentName = ({ name, source }: ParameterBinding): string =>
  source.kind === 'argument' ? source.property : name;
