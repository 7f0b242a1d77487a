import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from './package-root.ts';

const PROGRAM = existsSync(join(PACKAGE_ROOT, 'src/main.ts'))
  ? 'npm run -s cli --'
  : 'tool-gateway';

/** A command as it is typed here: a checkout runs it with npm, a release has the program itself. */
export const commandLine = (command: string): string => `${PROGRAM} ${command}`;
