import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import type { ParameterBinding, ParameterLocation, Tool, UpstreamRequest } from '../model.ts';
import { encodeBody } from './encode-body.ts';
import {
  createParameterWriter,
  type ParameterWriter,
  type SecretLookup,
} from './parameter-writer.ts';

/**
 * Encodes validated arguments as a request. No argument can change the scheme, host, port, depth of the path or names
 * of the headers. Arguments that are absent or null are omitted. Throws only GatewayError: `invalid_arguments`, or
 * `missing_secret` with the name of the secret in its message.
 */
export type RequestEncoder = (
  args: Record<string, unknown>,
  secrets: SecretLookup,
) => UpstreamRequest;

/** How the gateway introduces itself to upstreams. */
export const USER_AGENT = 'tool-gateway/0.1';

const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'user-agent': USER_AGENT,
  accept: 'application/json, application/xml;q=0.9, */*;q=0.5',
};

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

  function encode(args: Record<string, unknown>, secrets: SecretLookup): UpstreamRequest {
    const address = writeAddress(pathWriters, queryWriters, args, secrets);
    assertSameTarget(origin, address.sent);
    const headers: Record<string, string> = { ...COMMON_HEADERS };
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

/** The last line of defence: a URL that a parser would read differently is never sent. */
function assertSameTarget(origin: string, path: string): void {
  // Not the constructor: its error would carry the URL, including secrets, into the log.
  const address = origin + path;
  const isPath = path.startsWith('/') && !path.includes('#');
  if (!isPath || URL.parse(address)?.href !== address) {
    throw new GatewayError('internal', undefined, {
      cause: new Error('The encoded URL is not in its normal form.'),
    });
  }
}
