import { styleText } from 'node:util';
import { count } from '../shared/count.ts';

export interface BannerFacts {
  readonly version: string;
  readonly url: string;
  readonly servers: number;
  readonly tools: number;
  readonly database: string;
  readonly cache: string;
  /** Only on the start that created it. */
  readonly newApiKey: string | null;
  /** Only on the start that created it, and only with a password that may be shown. */
  readonly newAdministrator: { readonly email: string; readonly password: string } | null;
  readonly sandboxUrl: string | null;
  /** What precedes a command line so that it uses the data of this gateway, such as `DATA_DIR=data-sandbox `. */
  readonly commandPrefix: string;
  readonly readyInMs: number;
}

/** What `npm start` prints: the address of the gateway, the key if one was created, and a first call. */
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
    line('Dashboard', `${facts.url}/admin`),
    line('API docs', `${facts.url}/docs`),
    line('Tools', `${count(facts.tools, 'tool')} of ${count(facts.servers, 'preset server')}`),
    line('Storage', `${facts.database}, cache ${facts.cache}`),
    ...(facts.sandboxUrl
      ? [
          line(
            'Sandbox',
            `${facts.sandboxUrl} replaces every upstream with made-up data; no network, no keys needed`,
          ),
        ]
      : []),
    '',
    ...(facts.newApiKey
      ? [
          `  ${bold('Your API key')}, shown only once:`,
          '',
          `    ${styleText('green', facts.newApiKey)}`,
        ]
      : [
          `  ${dim('Existing keys remain valid. To create another:')} ${facts.commandPrefix}npm run -s cli -- keys create --tenant default`,
        ]),
    '',
    ...administrator(facts.newAdministrator),
    `  ${bold('Claude, Cursor, VS Code')} and other MCP clients; print their configuration with:`,
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

const administrator = (created: BannerFacts['newAdministrator']): string[] =>
  created
    ? [
        `  ${styleText('bold', 'Your sign-in to the dashboard')}, shown only once:`,
        '',
        `    ${styleText('green', created.email)}`,
        `    ${styleText('green', created.password)}`,
        '',
      ]
    : [];

/** The exchange rates need no upstream key. */
const firstCall = (url: string, key: string): string[] => [
  `curl -s ${url}/mcp \\`,
  `  -H 'x-api-key: ${key}' -H 'content-type: application/json' \\`,
  `  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"frankfurter_rates","arguments":{"base":"USD","quotes":"KRW,EUR"}}}'`,
];
