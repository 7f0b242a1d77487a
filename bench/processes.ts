import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The server under test runs alone on core 0; the load generator and the upstream share core 1. */
export const SERVER_CORE = '0';
export const LOAD_CORE = '1';

/** Throws if a program that the benchmark runs is missing. */
export function requirePrograms(...programs: string[]): void {
  for (const program of programs) {
    try {
      execFileSync('which', [program], { stdio: 'ignore' });
    } catch {
      throw new Error(
        `The benchmark needs "${program}". On Debian, run: apt-get install nginx-light wrk`,
      );
    }
  }
}

/** Keeps every thread of this process, and those that it starts, on the core of the load generator. */
export function pinToLoadCore(): void {
  execFileSync('taskset', ['-a', '-c', '-p', LOAD_CORE, String(process.pid)], { stdio: 'ignore' });
}

const children: ChildProcess[] = [];
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Stops every server that was started, because running children keep the benchmark alive. */
export async function stopServers(): Promise<void> {
  await Promise.all(children.splice(0).map(stop));
}

/** Stops one server. */
export async function stopServer(pid: number): Promise<void> {
  const at = children.findIndex((child) => child.pid === pid);
  if (at !== -1) await Promise.all(children.splice(at, 1).map(stop));
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a server pinned to a core, waits until it listens on the port, and returns its process id. */
export async function startPinned(
  core: string,
  port: number,
  { command, args, env }: Program,
): Promise<number> {
  const child = spawn('taskset', ['-c', core, command, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  children.push(child);
  for (let attempt = 0; attempt < 1000; attempt++) {
    if ((await listens(port)) && child.pid) return child.pid;
    if (child.exitCode !== null) break;
    await sleep(10);
  }
  throw new Error(`${command} ${args.join(' ')} does not listen on port ${port}.`);
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** CPU time used so far by a process and its children that still run, in microseconds. */
export function cpuMicros(pid: number): number {
  const ticksPerSecond = 100;
  return withChildren(pid)
    .map((each) => {
      const fields = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return ((Number(fields[11]) + Number(fields[12])) * 1e6) / ticksPerSecond;
    })
    .reduce((sum, micros) => sum + micros, 0);
}

/** Resident memory of a process and its children, in MiB. */
export function residentMib(pid: number): number {
  return withChildren(pid)
    .map((each) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${each}/status`, 'utf8'))?.[1]))
    .reduce((sum, kib) => sum + kib / 1024, 0);
}

function withChildren(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(text ? text.split(' ').flatMap((child) => withChildren(Number(child))) : [])];
}
