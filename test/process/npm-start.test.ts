import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { collectOutput } from '../support/collect-output.ts';
import { FEW_PRESETS } from '../support/few-presets.ts';
import {
  cleanEnvironment,
  type Environment,
  encodeCall,
  readStart,
} from '../support/gateway-process.ts';
import { until } from '../support/until.ts';
import { temporaryDir } from './temporary.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LAUNCHER = join(ROOT, 'bin/tool-gateway.mjs');

/** The Node.js and npm of the machine, not those of this checkout. */
const MACHINE = `${process.env['PATH']}`
  .split(delimiter)
  .filter((dir) => !dir.includes('node_modules'));
const onMachine = (name: string): string =>
  realpathSync(`${MACHINE.map((dir) => join(dir, name)).find((path) => existsSync(path))}`);
const NPM = onMachine('npm');
const NPM_START = ['start', '--', '--sandbox'];

const OLD_NODE = `--import=data:text/javascript,${encodeURIComponent(
  `Object.defineProperty(process, 'versions', { value: { node: '18.20.0' } });
   delete process.execve;`,
)}`;

interface Started {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  /** All processes that write to its output have ended. */
  readonly closed: () => boolean;
  call(): Promise<unknown>;
  /** Starts a call that takes a second, and resolves once its upstream has received it. */
  beginSlowCall(): Promise<{ response: Promise<unknown> }>;
}

/** Starts a gateway through other programs, in a process group of its own. */
async function start(command: readonly string[], env: Environment = {}): Promise<Started> {
  const key = newApiKeyText();
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: cleanEnvironment({
      PATH: MACHINE.join(delimiter),
      PORT: '0',
      PRESETS_DIR: FEW_PRESETS,
      DATA_DIR: await temporaryDir(),
      BOOTSTRAP_API_KEY: key,
      ...env,
    }),
  });
  let hasClosed = false;
  void once(child, 'close').then(() => {
    hasClosed = true;
  });
  onTestFinished(async () => {
    signalAll(child, 'SIGKILL');
    await until(() => hasClosed);
  });
  const [stdout, stderr] = [collectOutput(child.stdout), collectOutput(child.stderr)];
  await until(() => hasClosed || readStart(stdout()) !== null);
  const { url, sandboxUrl } = readStart(stdout()) ?? {};
  if (!url) throw new Error(`The gateway did not start:\n${stdout()}${stderr()}`);
  const call = async (): Promise<unknown> => {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: encodeCall('frankfurter_rates', {}),
    });
    return response.json();
  };
  const beginSlowCall = async () => {
    const body = JSON.stringify({ fault: 'delay:1500' });
    await fetch(`${sandboxUrl}/_sandbox/faults`, { method: 'POST', body });
    const response = call();
    response.catch(() => undefined);
    await until(async () => {
      const seen = await fetch(`${sandboxUrl}/_sandbox/requests`);
      return ((await seen.json()) as { total: number }).total > 0;
    });
    return { response };
  };
  return { child, stderr, closed: () => hasClosed, call, beginSlowCall };
}

function signalAll({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-Number(pid), signal);
  } catch {
    // All of them have ended.
  }
}

const ANSWERED = expect.objectContaining({ result: expect.anything() });

describe('a gateway that npm started', () => {
  test.each([
    ['npm start, on the Node.js of the machine', [onMachine('node'), NPM, ...NPM_START]],
    ['npm start, on the Node.js of the gateway', [process.execPath, NPM, ...NPM_START]],
    [
      'npm exec, on an old Node.js beside which the gateway runs',
      [onMachine('node'), NPM, 'exec', '-c', `node "${OLD_NODE}" -- ${LAUNCHER} start --sandbox`],
    ],
  ])('ends in order with %s', async (_title, command) => {
    const gateway = await start(command);
    const { response } = await gateway.beginSlowCall();
    gateway.child.kill('SIGTERM');
    expect(await response).toEqual(ANSWERED);
    await until(gateway.closed);
    expect(gateway.stderr()).toContain('shutting down');
  });

  test('completes its calls when a service manager signals npm and the gateway', async () => {
    const gateway = await start([process.execPath, NPM, ...NPM_START]);
    const { response } = await gateway.beginSlowCall();
    signalAll(gateway.child, 'SIGTERM');
    expect(await response).toEqual(ANSWERED);
    await until(gateway.closed);
    expect(gateway.stderr()).toContain('shutting down');
  });
});

test('a gateway whose shell ends continues, unless it is the shell of an npm script in the foreground', async () => {
  // The shell has more to do, so that it does not replace itself with the gateway.
  const shell = (npm_lifecycle_script?: string): Promise<Started> =>
    start(
      ['sh', '-c', `"$@"; true`, 'sh', process.execPath, '--', LAUNCHER, 'start', '--sandbox'],
      npm_lifecycle_script === undefined ? {} : { npm_lifecycle_script },
    );
  const others = await Promise.all([
    shell(),
    shell('vitest run'),
    shell('nohup tool-gateway start; true'),
    shell('tool-gateway start > log 2>&1 &'),
  ]);
  const ofNpm = await shell('node -- bin/tool-gateway.mjs start');
  for (const { child } of [...others, ofNpm]) child.kill('SIGTERM');
  await until(ofNpm.closed);
  for (const other of others) expect(await other.call()).toEqual(ANSWERED);
});
