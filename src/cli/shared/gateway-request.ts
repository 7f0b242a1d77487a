import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'undici';
import { commandLine, startLine } from '../../platform/kernel/command-line.ts';
import { isObject, type JsonObject, ownText } from '../../platform/kernel/plain-json.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { cleanText } from '../../tools/compile/clean-text.ts';

/** A running gateway, and the API key for it. */
export interface Gateway {
  readonly url: string;
  readonly key: string;
}

export interface GatewayRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
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
const MAX_MESSAGE_LENGTH = 4_000;
const NEW_KEY = `Check --key and TOOL_GATEWAY_API_KEY; "${commandLine('keys create --tenant default')}" creates a key.`;
const CHECK_ADDRESS = 'Check that --url is the address of a Tool Gateway.';

/** Sends one request. Throws GatewayUnreachable, or StartupError for a response that no gateway sends. */
export async function requestGateway(
  { url, key }: Gateway,
  { path, headers, ...rest }: GatewayRequest,
): Promise<GatewayResponse> {
  const response = await request(`${url}${path}`, {
    ...rest,
    headers: { 'content-type': 'application/json', ...headers, 'x-api-key': key },
  }).catch((cause: unknown) => {
    throw unreachable(url, cause);
  });
  const { statusCode: status } = response;
  const text = await readText(response.body, url);
  const parsed = parseOrNull(text);
  if (!isObject(parsed) && status < 400) {
    throw new StartupError(`The server at ${url} does not respond as expected. ${CHECK_ADDRESS}`);
  }
  return { status, headers: response.headers, body: isObject(parsed) ? parsed : {} };
}

/** What a response with an error status says, or the status itself. */
export function refusalText({ url }: Gateway, { status, body }: GatewayResponse): string {
  const message = cleanText(ownText(body, 'message') ?? '', MAX_MESSAGE_LENGTH);
  if (status === 401 && message) return `${message} ${NEW_KEY}`;
  return message || `The server at ${url} responded with status ${status}. ${CHECK_ADDRESS}`;
}

/** Sends one request and returns the body of a success. Throws StartupError for a refusal. */
export async function askGateway(
  gateway: Gateway,
  method: GatewayRequest['method'],
  path: string,
  body?: object,
): Promise<JsonObject> {
  const request = { method, path, ...(body && { body: JSON.stringify(body) }) };
  const response = await requestGateway(gateway, request);
  if (response.status >= 400) throw new StartupError(refusalText(gateway, response));
  return response.body;
}

async function readText(body: AsyncIterable<Buffer>, url: string): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.length;
      if (size > MAX_RESPONSE_BYTES) break;
      pieces.push(piece);
    }
  } catch (cause) {
    throw unreachable(url, cause);
  }
  if (size <= MAX_RESPONSE_BYTES) return Buffer.concat(pieces).toString('utf8');
  throw new StartupError(
    `The response of ${url} has more than ${MAX_RESPONSE_BYTES} bytes. ${CHECK_ADDRESS}`,
  );
}

/** Errors of a connection that was established. */
const BROKEN = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

function unreachable(url: string, cause: unknown): GatewayUnreachable {
  const isBroken = cause instanceof Error && 'code' in cause && BROKEN.includes(String(cause.code));
  const message = isBroken
    ? `The connection to the gateway at ${url} broke before the response was complete.`
    : `No gateway responds at ${url}. Start it with "${startLine()}", or give its address with --url.`;
  return new GatewayUnreachable(message, { cause });
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
