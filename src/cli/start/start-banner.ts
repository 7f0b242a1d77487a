import { styleText } from 'node:util';
import type { FirstCall, ToolReadiness } from '../../calls/provider-keys/tool-readiness.ts';
import { commandLine, startLine } from '../../platform/kernel/log-lines.ts';
import { count } from '../shared/output.ts';
import type { FirstCredential, FirstCredentials } from './first-credentials.ts';

export interface BannerFacts {
  readonly version: string;
  readonly url: string;
  readonly servers: number;
  readonly readiness: ToolReadiness;
  readonly database: string;
  readonly cache: string;
  /** How many processes serve together; null for a single one. */
  readonly workers: number | null;
  /** What this start has created. */
  readonly first: FirstCredentials;
  /** A call that needs no key of a provider; null if the presets have none. */
  readonly firstCall: FirstCall | null;
  readonly sandboxUrl: string | null;
  /** What precedes a command line so that it uses the data of this gateway, such as `DATA_DIR=data-sandbox `. */
  readonly commandPrefix: string;
  readonly readyInMs: number;
}

/** What `start` prints: a banner on a terminal; elsewhere, where output is stored, one line. */
export const formatStart = (facts: BannerFacts, isTerminal: boolean): string =>
  isTerminal ? formatBanner(facts) : formatLine(facts);

function formatLine(facts: BannerFacts): string {
  const { version, url, readiness, workers, first, sandboxUrl, readyInMs } = facts;
  return `${[
    `Tool Gateway ${version} is ready at ${url} in ${readyInMs} ms`,
    `dashboard ${url}/admin`,
    `${readiness.ready} of ${count(readiness.tools, 'tool')} ready`,
    ...(workers === null ? [] : [count(workers, 'worker')]),
    ...(sandboxUrl ? [`made-up data of the sandbox ${sandboxUrl}`] : []),
    ...fileOf('API key', first.apiKey),
    ...fileOf('sign-in', first.administrator),
  ].join('; ')}\n`;
}

const fileOf = (what: string, created: FirstCredential | null): readonly string[] =>
  created && 'path' in created ? [`${what} in ${created.path}`] : [];

/** The address of the gateway, the key if one was created, and a first call. */
function formatBanner(facts: BannerFacts): string {
  const key = keyForCommand(facts.first.apiKey);
  return [
    '',
    `  ${bold('Tool Gateway')} ${facts.version} ${dim(`ready in ${facts.readyInMs} ms`)}`,
    '',
    ...summary(facts),
    '',
    ...(facts.first.apiKey
      ? []
      : [
          `  ${dim('Existing keys remain valid. To create another:')} ${facts.commandPrefix}${commandLine('keys create --tenant default')}`,
          '',
        ]),
    ...credentialLines(facts.first),
    `  ${bold('Claude, Cursor, VS Code')} and other MCP clients; print their configuration with:`,
    '',
    `    ${commandLine(`connect claude-code --url ${facts.url} --key "${key}"`)}`,
    '',
    ...firstCall(facts, key),
    '',
    '',
  ].join('\n');
}

/** What a start has created, alone; empty if it is nothing. */
export const formatCredentials = (first: FirstCredentials): string =>
  credentialLines(first)
    .map((text) => `${text}\n`)
    .join('');

const credentialLines = ({ apiKey, administrator }: FirstCredentials): readonly string[] => [
  ...(apiKey ? credential('Your API key', apiKey) : []),
  ...(administrator ? credential('Your sign-in to the dashboard', administrator) : []),
];

const bold = (text: string): string => styleText('bold', text);
const dim = (text: string): string => styleText('dim', text);

const LABEL_WIDTH = 12;
const line = (label: string, value: string): string =>
  `  ${dim(label.padEnd(LABEL_WIDTH))} ${value}`;

function summary({
  url,
  servers,
  readiness,
  database,
  cache,
  workers,
  sandboxUrl,
}: BannerFacts): readonly string[] {
  return [
    line('Gateway', url),
    line('Dashboard', `${url}/admin`),
    line('API docs', `${url}/docs`),
    line('Tools', `${count(readiness.tools, 'tool')} of ${count(servers, 'preset server')}`),
    ...describeReadiness(readiness).map((text, index) => line(index === 0 ? 'Keys' : '', text)),
    line('Storage', `${database}, cache ${cache}`),
    ...(workers === null ? [] : [line('Workers', String(workers))]),
    ...(sandboxUrl
      ? [
          line(
            'Sandbox',
            `${sandboxUrl} answers for every preset with made-up data; no network, no keys needed`,
          ),
        ]
      : []),
  ];
}

function credential(what: string, created: FirstCredential): readonly string[] {
  const [place, lines] =
    'path' in created ? [' is in the file', [created.path]] : [', shown only once', created.lines];
  return [
    `  ${bold(what)}${place}:`,
    '',
    ...lines.map((text) => `    ${styleText('green', text)}`),
    '',
  ];
}

/** The key as the commands contain it. On a terminal, one that was created is shown. */
const keyForCommand = (created: FirstCredential | null): string =>
  (created && 'lines' in created && created.lines[0]) || 'YOUR_API_KEY';

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Beside the call stands what to do on a machine where it cannot succeed. */
function firstCall({ url, firstCall: call, sandboxUrl }: BannerFacts, key: string): string[] {
  const request = call
    ? { method: 'tools/call', params: { name: call.tool, arguments: call.arguments } }
    : { method: 'tools/list' };
  const needsNetwork = call !== null && sandboxUrl === null;
  return [
    `  ${bold('A first call')}, in another terminal${needsNetwork ? '; it needs the Internet, but no key of a provider' : ''}:`,
    '',
    `    curl -s ${url}/mcp \\`,
    `      -H "x-api-key: ${key}" -H 'content-type: application/json' \\`,
    `      -d ${quote(JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }))}`,
    ...(sandboxUrl === null
      ? [
          '',
          `  ${dim('Without network, or to try every tool with made-up data:')} ${startLine('--sandbox')}`,
        ]
      : []),
  ];
}

/** Keys that are named; presets may need any number of them. */
const MAX_NAMED = 12;
const MAX_WIDTH = 96;

/** Which tools are ready, what the others wait for, and where to get the most useful key. No lines if every tool is ready. */
function describeReadiness({ tools, ready, missing }: ToolReadiness): readonly string[] {
  const [first] = missing;
  if (!first) return [];
  const waiting = tools - ready;
  const named = missing.slice(0, MAX_NAMED).map((key) => `${key.name} (${key.tools})`);
  const others = missing.length - named.length;
  const list = others > 0 ? [...named, `and ${others} more`] : named;
  return [
    `${ready} of ${count(tools, 'tool')} ${ready === 1 ? 'is' : 'are'} ready; ${waiting} ${waiting === 1 ? 'waits' : 'wait'} for ${missing.length === 1 ? 'this key' : `these ${missing.length} keys`}:`,
    ...wrap(list),
    ...(first.url ? [`Get ${first.name} at ${first.url}`] : []),
    'Set keys in the environment, with --env-file, or in the dashboard, which links the page of each.',
  ];
}

function wrap(items: readonly string[]): string[] {
  const lines: string[] = [];
  for (const [index, item] of items.entries()) {
    const text = index < items.length - 1 ? `${item},` : item;
    const last = lines.at(-1);
    if (last !== undefined && last.length + text.length < MAX_WIDTH) {
      lines[lines.length - 1] = `${last} ${text}`;
    } else lines.push(text);
  }
  return lines;
}
