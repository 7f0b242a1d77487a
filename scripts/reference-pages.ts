import { SETTINGS } from '../src/platform/config/settings.ts';
import { ERROR_TABLE } from '../src/platform/kernel/error.ts';
import { cataloguePage } from './catalogue/catalogue-page.ts';
import { table } from './catalogue/markdown.ts';
import { commandsPage } from './commands-page.ts';
import { managementPage } from './management-page.ts';
import { metricsPage } from './metrics-page.ts';

/** Pages of docs/ that are generated from the source and the presets, by file name. */
export const REFERENCE_PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  'catalogue.md': cataloguePage,
  'commands.md': commandsPage,
  'config.md': configPage,
  'errors.md': errorsPage,
  'management.md': managementPage,
  'metrics.md': metricsPage,
};

function configPage(): string {
  const rows = Object.entries(SETTINGS).map(([name, setting]) => [
    `\`${name}\``,
    describeDefault(setting.default),
    setting.meaning,
  ]);
  const secrets = Object.entries(SETTINGS)
    .filter(([, setting]) => 'isSecret' in setting)
    .map(([name]) => `\`${name}\``);
  return `# Configuration

Every setting is an environment variable. Values are checked at start: if one is invalid, the gateway stops and prints its name and the valid values. An empty variable counts as unset.

${table(['Setting', 'Default', 'Meaning'], rows)}

The gateway also reads the secrets that presets name in \`x-secret\`, such as \`PUBLIC_DATA_SERVICE_KEY\`, unless they are [stored](contract.md#provider-keys). Set that key in either form that the portal shows, encoded or decoded.

A secret may be in a file instead: set \`NAME_FILE\` to its path, such as \`PUBLIC_DATA_SERVICE_KEY_FILE=/run/secrets/service-key\`. The file must contain only the secret, as one line. This applies to the secrets of presets and to ${secrets.join(', ')}.

Settings may also be in a \`.env\` file, which \`--env-file <path>\` reads with every command: \`npm start -- --env-file .env\`. Variables of the environment win over it.
`;
}

function describeDefault(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  return `\`${String(value).replace(process.cwd(), '.')}\``;
}

function errorsPage(): string {
  const rows = Object.entries(ERROR_TABLE).map(([code, row]) => [
    `\`${code}\``,
    `${row.httpStatus} ${row.httpName}`,
    `\`${row.rpcCode}\`${'reason' in row ? ` ${row.reason}` : ''}`,
    row.retryable ? 'yes' : 'no',
    row.message,
  ]);
  return `# Errors

All dialects share these codes. REST responses have the HTTP status and \`{"error", "message"}\`; JSON-RPC responses have the number and, for \`-32000\`, the reason in \`error.data\`. Audit records have the code.

${table(['Code', 'HTTP', 'JSON-RPC', 'Can a retry help?', 'Meaning'], rows)}
`;
}
