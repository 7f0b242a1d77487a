import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { collectOutput } from './collect-output.ts';
import { freePort } from './ports.ts';
import { makeDataDir, removeDir } from './temporary-dir.ts';
import { until } from './until.ts';

const NGINX = '/usr/sbin/nginx';

/** Whether nginx is installed; in CI, its absence is a failure. */
export const nginxAvailable = existsSync(NGINX);
if (!nginxAvailable) {
  if (process.env['CI']) {
    throw new Error(`${NGINX} is required when CI=true; install the package nginx-light.`);
  }
  console.warn(`${NGINX} is not installed: the tests behind a reverse proxy are skipped.`);
}

/** An nginx in front of a gateway. */
export interface Nginx {
  readonly url: string;
  close(): Promise<void>;
}

/** A server with the defaults of nginx and `proxy_pass`; nothing else affects a request. */
const plainServer = (port: number, target: string): string => `server {
    listen 127.0.0.1:${port};
    location / { proxy_pass ${target}; }
  }`;

/** Starts nginx as a reverse proxy. `toServer` returns what stands between the braces of `http`. */
export async function startNginx(target: string, toServer = plainServer): Promise<Nginx> {
  const dir = await makeDataDir();
  const port = await freePort();
  const file = join(dir, 'nginx.conf');
  await writeFile(file, configuration(dir, toServer(port, target)));
  const child = spawn(NGINX, ['-p', dir, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const errors = collectOutput(child.stderr);
  await until(async () => hasEnded(child) || (await answers(port)));
  if (hasEnded(child)) throw new Error(`nginx did not start:\n${errors()}`);
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      process.off('exit', kill);
      const endedBefore = hasEnded(child);
      if (!endedBefore) child.kill('SIGTERM');
      await until(() => hasEnded(child));
      await removeDir(dir);
      if (endedBefore)
        throw new Error(
          `nginx ended by itself (${child.signalCode ?? child.exitCode}):\n${errors()}`,
        );
    },
  };
}

/** The settings beside the server only name files and directories that an unprivileged user may write. */
function configuration(dir: string, server: string): string {
  const isRoot = process.getuid?.() === 0;
  return `${isRoot ? 'user root;' : ''}
daemon off;
pid ${dir}/nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path ${dir}/body;
  proxy_temp_path ${dir}/proxy;
  fastcgi_temp_path ${dir}/fastcgi;
  uwsgi_temp_path ${dir}/uwsgi;
  scgi_temp_path ${dir}/scgi;
  ${server}
}
`;
}

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
