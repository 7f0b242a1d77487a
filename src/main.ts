#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { codeCacheDir } from './cli/start/code-cache.ts';
import { setV8Flags } from './cli/start/v8-flags.ts';

const isStart = process.argv[2] === 'start';
if (isStart) setV8Flags();
// Before anything else is imported, so that later starts skip compilation. Settings cannot be read yet.
const defaultDataDir = process.argv.includes('--sandbox') ? 'data-sandbox' : 'data';
const dataDir = process.env['DATA_DIR'] || defaultDataDir;
const codeCache = codeCacheDir(dataDir, isStart);
if (codeCache) enableCompileCache(codeCache);
const { runCli } = await import('./cli/cli.ts');
// The reader of a pipe has closed it, as in `... | head`: a command that prints has nothing left to do, a gateway has.
const onError = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error;
  if (!isStart) process.exit(0);
};
process.stdout.on('error', onError);
if (isStart) process.stderr.on('error', onError);
process.exitCode = await runCli(process.argv);
