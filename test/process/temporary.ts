import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { FEW_PRESETS } from '../support/few-presets.ts';
import {
  type Environment,
  type RunningGateway,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { listenAnywhere } from '../support/ports.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';

/** A directory for the current test. */
export async function temporaryDir(): Promise<string> {
  const dir = await makeDataDir();
  onTestFinished(() => removeDir(dir));
  return dir;
}

/** A gateway for the current test, with few presets unless `PRESETS_DIR` names others. */
export async function temporaryGateway(
  env: Environment,
  args?: readonly string[],
  launcher?: readonly string[],
): Promise<RunningGateway> {
  const gateway = await startGatewayProcess({ PRESETS_DIR: FEW_PRESETS, ...env }, args, launcher);
  onTestFinished(async () => {
    await gateway.stop();
  });
  return gateway;
}

/** A port on which another program listens, which accepts connections and never sends anything. */
export async function takenPort(): Promise<number> {
  const { server, port } = await listenAnywhere();
  onTestFinished(() => void server.close());
  return port;
}

/** Writes preset files to a new directory, by their relative path, and returns that directory. */
export async function presetFiles(files: Readonly<Record<string, string>>): Promise<string> {
  const dir = await temporaryDir();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return dir;
}

/** A preset definition with one tool. */
export const presetWith = (toolName: string): string => `openapi: 3.1.0
info: { title: One tool, version: "1" }
servers: [{ url: "http://upstream.invalid" }]
paths:
  /one:
    get:
      operationId: ${toolName}
      description: A tool.
      responses: { "200": { description: Anything. } }
`;

/** `NODE_OPTIONS` of a machine without network, which reports every attempt to use it on standard error. */
export const WITHOUT_NETWORK = `--import=data:text/javascript,${encodeURIComponent(`
  import dns from 'node:dns';
  import net from 'node:net';
  import { syncBuiltinESMExports } from 'node:module';
  const report = (host) => process.stderr.write('CONNECTS ' + host + '\\n');
  const { lookup } = dns;
  dns.lookup = (host, ...rest) => {
    if (net.isIP(host)) return lookup(host, ...rest);
    report(host);
    rest.at(-1)(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
  };
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...args) {
    report([args].flat(2)[0]?.host ?? 'a socket');
    return connect.apply(this, args);
  };
  syncBuiltinESMExports();
`)}`;
