#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Before anything else is imported: the second start then skips compiling.
enableCompileCache();
const { runCli } = await import('./cli/cli.ts');
// The reader of a pipe has gone, as in `... | head`: it has all that it wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
process.exitCode = await runCli(process.argv);
