import { makeDataDir, removeDir } from '../../support/temporary-dir.ts';
import { bearerHeader, type ClientCase, type McpSession, type Target } from './mcp-session.ts';
import { type Environment, installedFile, runProgram } from './run-program.ts';

const INSPECTOR = installedFile('@modelcontextprotocol/inspector/clients/launcher/build/index.js');

/** Exit code of a call whose result has `isError`; the result is still written to standard output. */
const TOOL_ERROR = 5;

/** The Inspector's command line opens a new connection for every command. */
export function inspect(
  connection: readonly string[],
  env: Environment,
): Pick<McpSession, 'listTools' | 'callTool'> {
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape is under test.
  const run = async (...command: string[]): Promise<any> => {
    const args = [INSPECTOR, '--cli', ...connection, ...FOR_PROGRAMS, ...command];
    const { code, stdout, stderr } = await runProgram(args, env);
    if (code === 0 || (code === TOOL_ERROR && stdout)) return JSON.parse(stdout).result;
    throw errorOf(stderr);
  };
  return {
    listTools: async () => (await run('--method', 'tools/list')).tools,
    callTool: (name, args) => run('--method', 'tools/call', ...callOptions(name, args)),
  };
}

/** Only JSON on standard output. */
const FOR_PROGRAMS = ['--format', 'json', '--quiet'];

/** With a key, and without a login in a browser. */
async function openSession(
  { url, key }: Target,
  path: string,
  options: readonly string[],
): Promise<McpSession> {
  const home = await makeDataDir();
  const headers = Object.entries(bearerHeader(key)).map(([name, value]) => `${name}: ${value}`);
  const connection = ['--server-url', `${url}${path}`, '--header', ...headers, ...options];
  return {
    ...inspect([...connection, '--stored-auth-only'], { HOME: home }),
    close: () => removeDir(home),
  };
}

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
