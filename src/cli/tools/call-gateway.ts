import { getGlobalDispatcher } from 'undici';
import { StartupError } from '../../platform/kernel/error.ts';
import { isObject, type JsonObject, ownObject, ownText } from '../../platform/kernel/plain-json.ts';
import { cleanLine, cleanText } from '../../tools/compile/clean-text.ts';
import { exchange } from '../shared/exchange.ts';
import { ExchangeFailure } from '../shared/failure.ts';
import { askGateway, type Gateway, notAGateway, parseOrNull } from '../shared/gateway-request.ts';

/** The `params` of `tools/call`. */
interface CallParams {
  readonly name: unknown;
  readonly arguments: JsonObject;
}

const requestOf = (params: object): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params,
});

/** Calls a tool in the plain dialect, and returns its result. Throws StartupError. */
export const callPlainly = async (gateway: Gateway, params: CallParams): Promise<JsonObject> =>
  resultOf(await askGateway(gateway, 'POST', '/mcp', requestOf(params)));

/** A revision that tells progress, and needs no session. */
const MCP = { 'mcp-protocol-version': '2025-11-25' };

/**
 * Calls a tool by MCP, which alone tells how far a range has come, and returns the members of the plain result, beside what
 * models read. Throws StartupError.
 */
export async function callWithProgress(
  gateway: Gateway,
  params: CallParams,
  query = '',
): Promise<JsonObject> {
  const { url, key } = gateway;
  const connection = { address: `${url}/mcp${query}`, key, dispatcher: getGlobalDispatcher() };
  const request = requestOf({ ...params, _meta: { progressToken: 1 } });
  const body = Buffer.from(JSON.stringify(request));
  const { signal } = new AbortController();
  try {
    for await (const text of exchange(connection, { body, headers: MCP, signal })) {
      const message = parseOrNull(text);
      if (!isObject(message)) break;
      if (message['method'] !== 'notifications/progress') return resultOf(message);
      showProgress(ownObject(message, 'params'));
    }
  } catch (error) {
    throw error instanceof ExchangeFailure ? new StartupError(error.message) : error;
  } finally {
    if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE);
  }
  throw notAGateway(url);
}

const CLEAR_LINE = '\r\x1b[K';
const BAR_WIDTH = 24;
const MAX_PROGRESS_LENGTH = 80;

/** Shows on a terminal how far a call has come: with a bar if it is a range. */
function showProgress({ progress, total, message }: JsonObject): void {
  if (!process.stderr.isTTY) return;
  const share = Number(total) > 0 ? Math.min(1, Number(progress) / Number(total)) : 0;
  const bar = '#'.repeat(Math.floor(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '.');
  const text = cleanLine(String(message ?? ''), MAX_PROGRESS_LENGTH);
  process.stderr.write(`${CLEAR_LINE}${total === undefined ? '' : `${bar} `}${text}`);
}

/** The result in a response. Throws StartupError for an error, and for a result that is one. */
function resultOf(response: JsonObject): JsonObject {
  if (response['error']) throw new StartupError(describeError(ownObject(response, 'error')));
  const { content, isError, _meta: meta, ...result } = ownObject(response, 'result');
  if (result['outcome'] !== undefined || content === undefined) return result;
  if (isError !== true) return { content };
  const text = textOf(content);
  const said = parseOrNull(text);
  const auditId = isObject(meta) ? ownText(meta, 'toolgateway/auditId') : undefined;
  throw new StartupError(withAudit((isObject(said) && ownText(said, 'error')) || text, auditId));
}

/** The JSON text in a result that was asked for with `?result=json`. */
export const rowsText = ({ content }: JsonObject): string => textOf(content);

function textOf(content: unknown): string {
  const [block] = Array.isArray(content) ? content : [];
  return (isObject(block) && ownText(block, 'text')) || '';
}

/** What is wrong with each argument, or else the message of the error; and where the call is recorded. */
function describeError(error: JsonObject): string {
  const data = ownObject(error, 'data');
  const issues = Array.isArray(data['errors']) ? data['errors'].filter(isObject) : [];
  const lines = issues.map((issue) =>
    [ownText(issue, 'path')?.slice(1), ownText(issue, 'message')].filter(Boolean).join(' '),
  );
  const message = ownText(error, 'message') ?? 'The call failed.';
  return withAudit(lines.length > 0 ? lines.join('\n') : message, ownText(data, 'auditId'));
}

const MAX_MESSAGE_LENGTH = 4_000;

const withAudit = (text: string, auditId: string | undefined): string =>
  cleanText(auditId ? `${text.trim()}\nAudit record: ${auditId}` : text.trim(), MAX_MESSAGE_LENGTH);
