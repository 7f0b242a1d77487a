import { styleText } from 'node:util';

export interface BannerFacts {
  readonly version: string;
  readonly url: string;
  readonly servers: number;
  readonly tools: number;
  readonly database: string;
  readonly cache: string;
  /** Only on the start that made it. */
  readonly newApiKey: string | null;
  readonly sandboxUrl: string | null;
  readonly readyInMs: number;
}

/** What a person sees after `npm start`: where the gateway is, the key if one was made, and a first call. */
export function formatBanner(facts: BannerFacts): string {
  const bold = (text: string): string => styleText('bold', text);
  const dim = (text: string): string => styleText('dim', text);
  const line = (label: string, value: string): string => `  ${dim(label.padEnd(12))} ${value}`;
  const key = facts.newApiKey ?? 'YOUR_API_KEY';
  return [
    '',
    `  ${bold('Tool Gateway')} ${facts.version} ${dim(`ready in ${facts.readyInMs} ms`)}`,
    '',
    line('Gateway', facts.url),
    line('API docs', `${facts.url}/docs`),
    line('Tools', `${count(facts.tools, 'tool')} of ${count(facts.servers, 'preset server')}`),
    line('Storage', `${facts.database}, cache ${facts.cache}`),
    ...(facts.sandboxUrl
      ? [
          line(
            'Sandbox',
            `${facts.sandboxUrl} answers for every upstream; no network, no keys needed`,
          ),
        ]
      : []),
    '',
    ...(facts.newApiKey
      ? [
          `  ${bold('Your API key')}, shown this once:`,
          '',
          `    ${styleText('green', facts.newApiKey)}`,
        ]
      : [
          `  ${dim('Keys are kept from earlier starts. A new one:')} npm run -s cli -- keys create --tenant default`,
        ]),
    '',
    `  ${bold('Claude, Cursor, VS Code')} and other MCP clients; this prints what to paste into them:`,
    '',
    `    npm run -s cli -- connect claude-code --url ${facts.url} --key ${key}`,
    '',
    `  ${bold('A first call')}, in another terminal:`,
    '',
    ...firstCall(facts.url, key).map((text) => `    ${text}`),
    '',
    ...(facts.sandboxUrl
      ? []
      : [`  ${dim('No network, or no keys for the data APIs?')} npm start -- --sandbox`, '']),
    '',
  ].join('\n');
}

const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Exchange rates need no key of anybody's. */
const firstCall = (url: string, key: string): string[] => [
  `curl -s ${url}/mcp \\`,
  `  -H 'x-api-key: ${key}' -H 'content-type: application/json' \\`,
  `  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"frankfurter_rates","arguments":{"base":"USD","quotes":"KRW,EUR"}}}'`,
];
