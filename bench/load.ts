import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { cpuMicros, LOAD_CORE, residentMib } from './processes.ts';

const run = promisify(execFile);

const CALL_KINDS = [
  'hit',
  'miss',
  'streamable-hit',
  'streamable-miss',
  'stateless-hit',
  'stateless-miss',
] as const;
/** A call in one of the dialects; the plain one has no name. */
export type CallKind = (typeof CALL_KINDS)[number];

type LoadKind = CallKind | 'get' | 'list' | 'sdk';

/** Reads a list of kinds separated by commas. Throws if there is no such kind. */
export function kindsOf(text: string = CALL_KINDS.join()): CallKind[] {
  return text.split(',').map((name) => {
    const kind = CALL_KINDS.find((each) => each === name);
    if (kind) return kind;
    throw new Error(`"${name}" is not a kind of call. Use any of ${CALL_KINDS.join(', ')}.`);
  });
}

export interface Target {
  readonly name: string;
  readonly kind: LoadKind;
  readonly url: string;
  readonly pid: number;
  /** Text that every valid response contains. */
  readonly marker: string;
}

/** One round against one target. Times in microseconds, memory in MiB. */
export interface Sample {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly cpuPerRequest: number;
  readonly p50: number;
  readonly p99: number;
  readonly rss: number;
}

export const CONNECTIONS = 32;

/** Every miss of every round must be new to the cache. */
let nextArgument = 1000;

/** An argument from which on 50,000,000 calls are new to every cache. */
export function nextArguments(): number {
  nextArgument += 50_000_000;
  return nextArgument;
}

/** Loads a target for some seconds. Throws if any response is wrong. */
export async function load(
  target: Target,
  key: string,
  seconds: number,
  connections = CONNECTIONS,
): Promise<Sample> {
  const script = resolve(import.meta.dirname, 'load.lua');
  const cpuBefore = cpuMicros(target.pid);
  const { stdout } = await run('taskset', [
    ...['-c', LOAD_CORE, 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s'],
    ...['-s', script, target.url, '--', target.kind, key, target.marker, String(nextArguments())],
  ]);
  const cpu = cpuMicros(target.pid) - cpuBefore;
  const result = JSON.parse(/RESULT (.*)/.exec(stdout)?.[1] ?? 'null');
  if (!result || result.requests === 0 || result.wrong > 0 || result.socketErrors > 0) {
    throw new Error(`${target.name} sent wrong responses: ${stdout}`);
  }
  return {
    requests: result.requests,
    requestsPerSecond: result.requests / result.seconds,
    cpuPerRequest: cpu / result.requests,
    p50: result.p50Us,
    p99: result.p99Us,
    rss: residentMib(target.pid),
  };
}
