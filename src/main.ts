#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Before anything else is imported: the second start then skips compiling.
enableCompileCache();
const { runCli } = await import('./cli/cli.ts');
process.exitCode = await runCli(process.argv);
