import { isObject } from '../../platform/kernel/plain-json.ts';

/** The messages of a response body: several for a batch. Null for a body that is not JSON-RPC. */
export function readResponses(text: string): Record<string, unknown>[] | null {
  try {
    const responses = [JSON.parse(text)].flat().filter(isObject);
    const isJsonRpc = responses.length > 0 && responses.every(({ jsonrpc }) => jsonrpc === '2.0');
    return isJsonRpc ? responses : null;
  } catch {
    return null;
  }
}

/** The revision that a response to `initialize` agrees on. */
export function revisionOf({ result }: Record<string, unknown>): string | null {
  const revision = isObject(result) ? result['protocolVersion'] : undefined;
  return typeof revision === 'string' ? revision : null;
}
