import { toolCall } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { initialize } from './build.ts';

type More = Pick<Extract<Entry, { kind: 'command' }>, 'env' | 'input'>;

const command = (line: string, more: More = {}): Entry => ({
  kind: 'command',
  title: line || '(nothing)',
  args: line.split(' ').filter(Boolean),
  ...more,
});

const COMMANDS = ['start', 'register', 'call', 'connect', 'stdio', 'trail list'];

const HELP = ['', 'keys ', 'presets ', 'registrations ', 'audit '].map((group) =>
  command(`${group}--help`),
);

const WRONG = [
  'nonsense',
  'presets new Bad_Id',
  'connect nobody',
  'audit verify --anchor x',
  'audit list --status good',
  'trail list --limit 0',
  'sandbox --port x',
  'keys create',
].map((line) => command(line));

const SETTINGS = [
  command('start', { env: { PORT: 'x', BASE_URL: 'nonsense', LOG_LEVEL: 'loud' } }),
  command('call frankfurter_rates', { env: { PORT: '1' } }),
].map((entry, index) => ({ ...entry, title: `settings ${index + 1}: ${entry.title}` }));

const CONNECT = [
  'connect',
  'connect claude-code --key KEY --url http://gateway.example:8080/mcp/',
  'connect claude-ai --url https://gateway.example',
  'connect cursor --key KEY --url http://gateway.example --tools kma_*,corpus_kept --category weather',
  'connect claude-desktop --key KEY --url http://gateway.example',
  'connect cursor --url nonsense',
].map((line) => command(line));

const GATEWAY = { BASE_URL: '{{address}}', TOOL_GATEWAY_API_KEY: '{{key}}' };

const CALLS = [
  'call corpus_kept kind=list',
  'call kma_ultra_short_nowcast lat=37.56 lon=126.98 _limit=1',
  'call fixture_cached n=x',
  'call fixture_cached n',
  'call no_such_tool',
  'call corpus_kept kind=list --key tg_live_wrong',
].map((line) => command(line, { env: GATEWAY }));

const stdio = (title: string, ...lines: readonly unknown[]): Entry => ({
  kind: 'command',
  title: `stdio: ${title}`,
  args: ['stdio'],
  env: GATEWAY,
  input: lines
    .map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
    .join(''),
});

const STDIO = [
  stdio('initialize', initialize('2025-11-25', 'i')),
  stdio('a call', toolCall('fixture_cached', { n: 1 }, 'c')),
  stdio('no JSON', '{'),
];

/** The command line: help, refusals, and commands that need no state but that of a gateway. */
export const COMMAND_LINES: readonly Entry[] = [
  command('--version'),
  ...HELP,
  ...COMMANDS.map((name) => command(`${name} --help`)),
  ...WRONG,
  ...SETTINGS,
  ...CONNECT,
  command('presets check'),
  ...CALLS,
  ...STDIO,
];
