/** What each tag groups, in the order of the page. */
export const TAGS: Readonly<Partial<Record<string, string>>> = {
  'JSON-RPC': 'List tools and run them. MCP clients use the same address.',
  Tools: 'The tools that an API key may use.',
  Registry: 'The tools of the presets, for everyone.',
  Registration: 'Your own APIs as tools.',
  Events: 'A stream of finished calls and of registration jobs.',
  Audit: 'A record of every call.',
  Health: 'For operators and probes.',
};

/** The introduction of the description: Markdown with a first call. */
export const introduction = (
  baseUrl: string,
): string => `Data APIs as tools: list them over REST or JSON-RPC, run them with \`tools/call\` on \`POST /mcp\`.

## A first call

An API key comes from the operator of the gateway, or from its dashboard at \`/admin\`. Send it as \`x-api-key\` or as \`Authorization: Bearer\`.

\`\`\`sh
GATEWAY=${URL.canParse(baseUrl) ? baseUrl : 'http://127.0.0.1:8080'}
KEY=tg_live_...
curl -s $GATEWAY/mcp \\
  -H "x-api-key: $KEY" \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc": "2.0", "id": 1,
       "method": "tools/call",
       "params": {"name": "frankfurter_rates",
         "arguments": {"base": "USD", "quotes": "KRW"}}}'
\`\`\`

\`result.data\` holds the data, \`result.provenance\` their source and time, and \`result.auditId\` the record of the call. Find other tools with \`tools/list\`, or without a key:

\`\`\`sh
curl -s "$GATEWAY/registry/tools?q=weather"
\`\`\`

## Errors

A refusal over HTTP has the members \`error\` and \`message\`; \`message\` says what to do. A JSON-RPC error has status 200 and the member \`error\` with \`code\` and \`message\`. Every response has \`x-request-id\`.

## Typed clients

\`$GATEWAY/openapi.json?tools=1\` has one operation for each tool of the presets, with the schema of its arguments, for generators of clients.
`;
