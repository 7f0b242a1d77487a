import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDataDir, removeDir } from '../../support/temporary-dir.ts';
import { installedFile, runProgram } from '../support/run-program.ts';

/** One installed release of the conformance suite. */
export interface Suite {
  readonly name: 'conformance-0.1' | 'conformance-0.2';
  /** The revisions for which it is run. */
  readonly revisions: readonly string[];
}

/** A scenario of a suite and its revisions; a scenario of an optional extension has none. */
export interface Scenario {
  readonly name: string;
  readonly revisions: readonly string[];
}

/** One check of a scenario. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
  readonly details?: { readonly message?: string };
}

export const SUITES: readonly Suite[] = [
  // Its client always uses the newest revision that it knows.
  { name: 'conformance-0.1', revisions: ['2025-11-25'] },
  { name: 'conformance-0.2', revisions: ['2025-06-18', '2025-11-25', '2026-07-28'] },
];

const programOf = ({ name }: Suite): string => installedFile(`${name}/dist/index.js`);

/** The source of a suite, which contains the names of its checks. */
export const programTextOf = (suite: Suite): Promise<string> => readFile(programOf(suite), 'utf8');

/** Every scenario of the suite for servers. */
export async function listScenarios(suite: Suite): Promise<Scenario[]> {
  const { stdout, stderr } = await runProgram([programOf(suite), 'list', '--server']);
  const scenarios = [...stdout.matchAll(/^ +- (\S+) \[(.*)\]$/gm)].map(
    ([, name = '', revisions = '']) => ({
      name,
      revisions: revisions.split(',').filter((revision) => /^\d/.test(revision)),
    }),
  );
  if (scenarios.length === 0) throw new Error(`${suite.name} lists no scenarios: ${stderr}`);
  return scenarios;
}

/** Runs one scenario against a server and returns its checks. */
export async function runScenario(
  suite: Suite,
  scenario: string,
  revision: string,
  url: string,
): Promise<Check[]> {
  const dir = await makeDataDir();
  const target = ['--url', url, '--scenario', scenario, '--spec-version', revision, '-o', dir];
  try {
    const { stdout, stderr } = await runProgram([programOf(suite), 'server', ...target]);
    const [results] = await readdir(dir);
    if (!results) throw new Error(`${scenario} left no results:\n${stdout}${stderr}`);
    return JSON.parse(await readFile(join(dir, results, 'checks.json'), 'utf8'));
  } finally {
    await removeDir(dir);
  }
}
