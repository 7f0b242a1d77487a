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
// The reader of a pipe has closed it, as in `... | head`, and needs no more.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
process.exitCode = await runCli(process.argv);
