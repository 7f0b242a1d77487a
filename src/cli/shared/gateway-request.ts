import type { IncomingHttpHeaders } from 'node:http';
import { StartupError } from '../../platform/kernel/error.ts';
import { commandLine, startLine } from '../../platform/kernel/log-lines.ts';
import { isObject, type JsonObject, ownText } from '../../platform/kernel/plain-json.ts';
import { cleanText } from '../../tools/compile/clean-text.ts';

/** A running gateway, and the API key for it. */
export interface Gateway {
  readonly url: string;
  readonly key: string;
}

export interface GatewayRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Largest response. */
  readonly maxBytes?: number;
}

/** A response of any status. The body of an error that is not JSON is empty. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
}

/** Thrown when the connection to a gateway fails or breaks: the same request may succeed later. */
export class GatewayUnreachable extends StartupError {}

/** Largest response that a command reads. */
export const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 1024 * 1024;
const MAX_MESSAGE_LENGTH = 4_000;
const NEW_KEY = `Check --key and TOOL_GATEWAY_API_KEY; "${commandLine('keys create --tenant default')}" creates a key.`;
export const CHECK_ADDRESS = 'Check that --url is the address of a Tool Gateway.';

/** Sends one request. Throws GatewayUnreachable, or StartupError for a response that no gateway sends. */
export async function requestGateway(
  { url, key }: Gateway,
  { maxBytes = MAX_RESPONSE_BYTES, ...rest }: GatewayRequest,
): Promise<GatewayResponse> {
  const response = await sendTo({ url, key }, rest);
  const { statusCode: status } = response;
  const text = await readText(response.body, url, maxBytes);
  const parsed = status === 204 ? {} : parseOrNull(text);
  if (!isObject(parsed) && status < 400) throw notAGateway(url);
  return { status, headers: response.headers, body: isObject(parsed) ? parsed : {} };
}

async function sendTo({ url, key }: Gateway, { path, headers, ...rest }: GatewayRequest) {
  // Only here: commands on this machine start sooner without it.
  const { request } = await import('undici');
  return request(`${url}${path}`, {
    ...rest,
    headers: { 'content-type': 'application/json', ...headers, 'x-api-key': key },
  }).catch((cause: unknown) => {
    throw unreachable(url, cause);
  });
}

/** Yields a file of the gateway as it arrives. Throws StartupError for a refusal, and GatewayUnreachable. */
export async function* downloadFrom(gateway: Gateway, path: string): AsyncGenerator<Buffer> {
  const { statusCode: status, headers, body } = await sendTo(gateway, { method: 'GET', path });
  if (status >= 400) {
    const said = parseOrNull(await readText(body, gateway.url, MAX_REFUSAL_BYTES));
    const refused = { status, headers, body: isObject(said) ? said : {} };
    throw new StartupError(refusalText(gateway, refused));
  }
  try {
    yield* body;
  } catch (cause) {
    throw unreachable(gateway.url, cause);
  }
}

export const notAGateway = (url: string): StartupError =>
  new StartupError(`The server at ${url} does not respond as expected. ${CHECK_ADDRESS}`);

/** What a response with an error status says, without the API key, or the status itself. */
export function refusalText({ url, key }: Gateway, { status, body }: GatewayResponse): string {
  const text = (ownText(body, 'message') ?? '').replaceAll(key, '[redacted]');
  const message = cleanText(text, MAX_MESSAGE_LENGTH);
  // A command sends the header itself: only the first sentence is for its user.
  if (status === 401 && message) return `${message.replace(/\. .*$/s, '.')} ${NEW_KEY}`;
  return message || `The server at ${url} responded with status ${status}. ${CHECK_ADDRESS}`;
}

/** As `send`, with a body in JSON. */
export const askGateway = (
  gateway: Gateway,
  method: GatewayRequest['method'],
  path: string,
  body?: object,
): Promise<JsonObject> =>
  send(gateway, { method, path, ...(body && { body: JSON.stringify(body) }) });

/** Sends one request and returns the body of a success. Throws StartupError for a refusal. */
export async function send(gateway: Gateway, request: GatewayRequest): Promise<JsonObject> {
  const response = await requestGateway(gateway, request);
  if (response.status >= 400) throw new StartupError(refusalText(gateway, response));
  return response.body;
}

/** A POST of a form with JSON and a description, which may be too large for a member. */
export async function formRequest(
  path: string,
  members: object,
  document: string,
): Promise<GatewayRequest> {
  const form = new FormData();
  form.set('request', JSON.stringify(members));
  form.set('document', new Blob([document]));
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  return { method: 'POST', path, headers, body: new Uint8Array(await encoded.arrayBuffer()) };
}

async function readText(
  body: AsyncIterable<Buffer>,
  url: string,
  maxBytes: number,
): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.length;
      if (size > maxBytes) break;
      pieces.push(piece);
    }
  } catch (cause) {
    throw unreachable(url, cause);
  }
  if (size <= maxBytes) return Buffer.concat(pieces).toString('utf8');
  throw new StartupError(
    `The response of ${url} has more than ${maxBytes} bytes. ${CHECK_ADDRESS}`,
  );
}

/** Errors of a connection that was established. */
const BROKEN = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

function unreachable(url: string, cause: unknown): GatewayUnreachable {
  return new GatewayUnreachable(describeConnection(url, cause), { cause });
}

function describeConnection(url: string, cause: unknown): string {
  const { name = '', code = '' } = cause as { readonly name?: string; readonly code?: unknown };
  if (BROKEN.includes(String(code))) {
    return `The connection to the gateway at ${url} broke before the response was complete.`;
  }
  if (name === 'TimeoutError') {
    return `The gateway at ${url} did not respond in time. Before you repeat a change, check whether it was made.`;
  }
  if (/CERT|TLS|SSL/.test(String(code))) {
    return `The certificate of the server at ${url} is not valid (${code}). If its authority is your own, name its file in NODE_EXTRA_CA_CERTS.`;
  }
  return `No gateway responds at ${url}. Start it with "${startLine()}", or give its address with --url.`;
}

/** The value of a JSON text; null if it is none. */
export function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
