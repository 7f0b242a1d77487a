import { makeDataDir, removeDir } from '../../support/temporary-dir.ts';
import { bearerHeader, type ClientCase, type McpSession, type Target } from './mcp-session.ts';
import { installedFile, runProgram } from './run-program.ts';

const INSPECTOR = installedFile('@modelcontextprotocol/inspector/clients/launcher/build/index.js');

/** Exit code of a call whose result has `isError`; the result is still written to standard output. */
const TOOL_ERROR = 5;

/** The Inspector's command line opens a new connection for every command. */
async function openSession(
  { url, key }: Target,
  path: string,
  options: readonly string[],
): Promise<McpSession> {
  const home = await makeDataDir();
  const headers = Object.entries(bearerHeader(key)).map(([name, value]) => `${name}: ${value}`);
  const connection = ['--server-url', `${url}${path}`, '--header', ...headers, ...options];
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape is under test.
  const run = async (...command: string[]): Promise<any> => {
    const args = [INSPECTOR, '--cli', ...connection, ...STANDING, ...command];
    const { code, stdout, stderr } = await runProgram(args, { HOME: home });
    if (code === 0 || (code === TOOL_ERROR && stdout)) return JSON.parse(stdout).result;
    throw errorOf(stderr);
  };
  return {
    listTools: async () => (await run('--method', 'tools/list')).tools,
    callTool: (name, args) => run('--method', 'tools/call', ...callOptions(name, args)),
    close: () => removeDir(home),
  };
}

/** For use by programs: only JSON on standard output, and no login in a browser. */
const STANDING = ['--format', 'json', '--quiet', '--stored-auth-only'];

const callOptions = (name: string, args: Record<string, unknown>): string[] => [
  '--tool-name',
  name,
  '--tool-args-json',
  JSON.stringify(args),
];

function errorOf(stderr: string): Error {
  try {
    const { code, message } = JSON.parse(stderr).error;
    return Object.assign(new Error(`${code}: ${message}`), { code });
  } catch {
    return new Error(`The Inspector wrote no error envelope: ${stderr}`);
  }
}

const CASES: readonly [
  name: string,
  ClientCase['dialect'],
  path: string,
  options: readonly string[],
][] = [
  ['legacy', 'streamable-http', '/mcp', ['--transport', 'http', '--protocol-era', 'legacy']],
  ['auto', 'stateless', '/mcp', ['--transport', 'http', '--protocol-era', 'auto']],
  ['modern', 'stateless', '/mcp', ['--transport', 'http', '--protocol-era', 'modern']],
  ['SSE', 'http-sse', '/mcp/sse', ['--transport', 'sse']],
];

export const INSPECTOR_CLI: readonly ClientCase[] = CASES.map(([name, dialect, path, options]) => ({
  name: `Inspector CLI ${name}`,
  dialect,
  // It looks up a tool in the list before calling it, and reports an unknown one itself.
  unknownToolCode: 'tool_not_found',
  refusal: /auth_required/,
  connect: (target) => openSession(target, path, options),
}));
