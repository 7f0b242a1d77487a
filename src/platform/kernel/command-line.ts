import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from './package-root.ts';

/** Whether this is the source, and not a packed release. */
export const IS_CHECKOUT = existsSync(join(PACKAGE_ROOT, 'src/main.ts'));

/** A command as it is typed here: a checkout runs it with npm, a release has the program itself. */
export const commandLine = (command: string): string =>
  `${IS_CHECKOUT ? 'npm run -s cli --' : 'tool-gateway'} ${command}`;

/** The command that starts the gateway, as it is typed here. */
export function startLine(option?: string): string {
  if (option === undefined) return IS_CHECKOUT ? 'npm start' : 'tool-gateway start';
  return `${IS_CHECKOUT ? 'npm start --' : 'tool-gateway start'} ${option}`;
}
