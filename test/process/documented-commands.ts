import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** A command of a `sh` block, as a reader of the page would enter it. */
export interface DocumentedCommand {
  readonly page: string;
  readonly text: string;
}

/** What is known of commands: that the test runs them, which other test does, or why none can. */
export type Rule = {
  /** Of all pages if it is left out. */
  readonly page?: string;
  readonly command: RegExp;
} & (
  | {
      /** What the command prints. */
      readonly prints: RegExp;
      readonly exitCode?: number;
    }
  | { readonly runBy: string }
  | { readonly notRun: string }
);

const CALLED = /"result":\{/;
const ANYTHING = /^/;

/** The first rule that matches a command counts. */
export const RULES: readonly Rule[] = [
  { page: 'docs/own-apis.md', command: /^/, runBy: 'test/clients/own-apis-page.test.ts' },
  {
    page: 'docs/typed-clients.md',
    command: /^npm |^export /,
    notRun: 'It asks the registry for the newest; the test of the page has a lock file.',
  },
  {
    page: 'docs/typed-clients.md',
    command: /^npx /,
    runBy: 'test/clients/api/api-clients.test.ts',
  },

  {
    command: /^npm (ci|start( -- --sandbox)?$)|^npx --yes --loglevel=error \.\/tool-gateway/,
    runBy: '.ci/run',
  },
  { command: /cli -- register https:/, runBy: 'src/cli/register/register-command.test.ts' },
  { command: /^PUBLIC_DATA.* npm start$/, notRun: 'It needs the key of a provider.' },
  { command: /^HOST=.*\bnpm start$/s, notRun: 'It needs the servers of an operator.' },
  { command: /^npm (test|run (?!-s cli))|^npx vitest|^\.ci\/run/, runBy: '.ci/run' },
  { command: /^docker /, notRun: 'Continuous integration runs no containers.' },
  { command: /^(npm install --offline|cp deploy|systemctl)/, notRun: 'It needs systemd.' },
  { command: /^kubectl /, notRun: 'It needs a cluster.' },
  { command: /^pg_(dump|restore) /, runBy: 'test/process/backup.test.ts' },

  { command: /cli -- connect\b/, runBy: 'src/cli/connect/connect-command.test.ts' },

  { command: /\/api\/v1\/admin\//, runBy: 'test/contract/management.contract.test.ts' },
  {
    page: 'docs/operations.md',
    command: /^export TOOL_GATEWAY_|cli -- keys (create --name|hygiene)/,
    runBy: 'test/process/remote-commands.test.ts',
  },
  { command: /^export \w*KEY=/, prints: /^tg_live_/ },
  { command: /^echo "\w+=.*\.env$/, prints: ANYTHING },
  { command: /cli -- tools (search|show)/, prints: /frankfurter_rates/ },
  { command: /> seoul-2025\.csv$|^curl -s -o seoul-2025\.csv/, prints: ANYTHING },
  { command: /^curl .*\/mcp\b/, prints: CALLED },
  { command: /^echo .*cli -- stdio$/s, prints: CALLED },

  { command: /cli -- call .* from=20261340$/, prints: ANYTHING, exitCode: 1 },
  { command: /cli -- call .* --csv\b/s, prints: /^\uFEFF\w+,\w+/ },
  { command: /cli -- call /, prints: /"cacheStatus":/ },
  { command: /cli -- keys create/, prints: /^tg_live_/ },
  { command: /cli -- keys list/, prints: /^ID +TENANT/ },
  { command: /cli -- keys (change|revoke)/, prints: /key_/ },
  { command: /cli -- doctor oauth/, prints: /^ok {6}challenge/ },
  { command: /cli -- oauth clients create/, prints: /^Client id: oac_/ },
  { command: /cli -- oauth clients list/, prints: /^ID +NAME +REDIRECTS/ },
  { command: /cli -- tenants list/, prints: /^SLUG/ },
  { command: /cli -- audit ship/, runBy: 'test/process/lost-replica.test.ts' },
  { command: /cli -- audit list/, prints: /^TIME +TOOL/ },
  { command: /cli -- audit export/, prints: ANYTHING },
  { command: /cli -- trail list/, prints: /key\.created/ },
  { command: /cli -- people list/, prints: /admin@localhost/ },
  { command: /cli -- people (create|reset-password)/, prints: /^\S{12,}\n$/ },
  { command: /cli -- secrets list/, prints: /^NAME +STATE/ },
  { command: /cli -- secrets readiness/, prints: /^NAME +DATASET +STATE/ },
  { command: /cli -- secrets applied/, prints: /^Noted that 15084084 was applied for/ },
  { command: /cli -- secrets own list/, prints: /^NAME +OWNER/ },
  {
    command: /cli -- secrets own (set|remove|origins)/,
    prints: /^(Stored|Removed|Origins of) PUBLIC_DATA_SERVICE_KEY/,
  },
  {
    command: /cli -- secrets quota/,
    prints: /^Quota of PUBLIC_DATA_SERVICE_KEY for 15084084: 100000/,
  },
  { command: /cli -- secrets policy/, prints: /^Policy of PUBLIC_DATA_SERVICE_KEY: own/ },
  { command: /cli -- secrets (set|remove)/, prints: /^(Stored|Removed) PUBLIC_DATA_SERVICE_KEY/ },
  { command: /cli -- presets new/, prints: /^Wrote / },
  { command: /cli -- presets check/, prints: /no faults|all good/ },
  { command: /^cat > sandbox\/samples/, prints: ANYTHING },
  { command: /cli -- openapi check/, prints: /listbooks/ },
  { command: /cli -- registrations list/, prints: /reg_/ },
  { command: /cli -- registrations show \S+ --document/, prints: ANYTHING },
  { command: /cli -- registrations show/, prints: /"origins":/ },
  { command: /cli -- migrate$/, prints: /^The database is up to date/ },
  { command: /cli -- backup/, prints: /^Wrote audit\.db, gateway\.db, encryption\.key/ },
  { command: /cli -- restore/, prints: /^Restored audit\.db/ },
];

/** The commands of all `sh` blocks of README and docs, in order, each once. */
export function documentedCommands(): DocumentedCommand[] {
  const all = [
    'README.md',
    'CONTRIBUTING.md',
    ...globSync('docs/**/*.md', { cwd: ROOT }).sort(),
  ].flatMap((page) =>
    [...readFileSync(resolve(ROOT, page), 'utf8').matchAll(/^```(?:sh|bash)\n(.*?)^```$/gms)]
      .flatMap(([, block = '']) => commandsOf(block))
      .map((text) => ({ page, text })),
  );
  return [...new Map(all.map((command) => [command.text, command])).values()];
}

/** A command continues after a backslash or a pipe, and until the end of its here-document. */
function commandsOf(block: string): string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of block.trimEnd().split('\n')) {
    open += open === '' ? line : `\n${line}`;
    const [, end] = /<<'(\w+)'/.exec(open) ?? [];
    if (/[\\|]$/.test(line) || (end !== undefined && line !== end) || open === '') continue;
    commands.push(open);
    open = '';
  }
  return commands;
}

/** The first rule for a command. */
export const ruleOf = ({ page, text }: DocumentedCommand): Rule | undefined =>
  RULES.find((rule) => (rule.page ?? page) === page && rule.command.test(text));
