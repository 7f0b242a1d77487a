/** A word of a command line for a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** What stands for an API key, which is never shown again after it was created. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY';

export const mcpAddress = (gatewayUrl: string): string => `${gatewayUrl.replace(/\/$/, '')}/mcp`;

/** The JSON-RPC request that calls a tool. */
export const toolCall = (name: string, args: unknown): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** A request of `POST /mcp` with curl. */
export const curlCommand = (gatewayUrl: string, request: object): string =>
  [
    `curl -s ${shellWord(mcpAddress(gatewayUrl))}`,
    `-H ${shellWord(`x-api-key: ${KEY_PLACEHOLDER}`)}`,
    "-H 'content-type: application/json'",
    `-d ${shellWord(JSON.stringify(request))}`,
  ].join(' \\\n  ');
