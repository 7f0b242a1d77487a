import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type ChaosReport, openChaosArena } from '../test/support/chaos-arena.ts';
import { CHAOS_FAULTS, type ChaosFault } from '../test/support/chaos-faults.ts';

/** Lets faults happen to two replicas under load, and checks that nothing is lost, doubled or shown to others. */
const USAGE = `Usage: npm run chaos -- [--short] [--times 3] [--only <text>] [--upgrade-from <commit>]
  --short           only the faults that CI tries, once
  --times           how often each fault is tried
  --only            only faults whose name contains the text
  --upgrade-from    starts both replicas from that commit, and upgrades one after the other`;

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    times: { type: 'string' },
    only: { type: 'string', default: '' },
    'upgrade-from': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const times = Number(values.times ?? (values.short ? 1 : 3));
if (values.help || !(times > 0)) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 1);
}

const ROOT = resolve(import.meta.dirname, '..');
const upgrade = values['upgrade-from'];
const [rollingRestart] = CHAOS_FAULTS;
if (!rollingRestart) throw new Error('There are no faults.');
const faults = upgrade
  ? [{ ...rollingRestart, name: `rolling upgrade from ${upgrade}` }]
  : CHAOS_FAULTS.filter(
      ({ name, isShort }) => name.includes(values.only) && (!values.short || isShort),
    );

/** What is wrong with a report. */
const issuesOf = ({ isHarmless }: ChaosFault, report: ChaosReport): string[] => [
  ...(report.answered === 0 ? ['nothing was answered'] : []),
  ...(report.lost > 0 ? ['calls were lost'] : []),
  ...(report.doubled > 0 ? ['events came twice'] : []),
  ...(report.foreign > 0 ? ['events came to another tenant'] : []),
  ...(isHarmless && report.failed > 0 ? ['calls failed'] : []),
];

const line = (name: string, columns: readonly unknown[], what: string): void =>
  console.log(
    `${name.padEnd(38)}${columns.map((each) => String(each).padStart(9)).join('')}  ${what}`,
  );

/** Installs the packages of another checkout, which are those of this one unless the lock file differs. */
function installPackages(checkout: string): void {
  const [there, here] = [checkout, ROOT].map((dir) =>
    readFileSync(join(dir, 'package-lock.json'), 'utf8'),
  );
  if (there === here) symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  else
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: checkout });
}

let isSound = true;
async function run(launcher: readonly string[], rounds: number): Promise<void> {
  const arena = await openChaosArena(launcher);
  try {
    for (const fault of faults) {
      for (let round = 0; round < rounds; round++) {
        const report = await arena.under(() => fault.act(arena));
        const wrong = issuesOf(fault, report);
        isSound &&= wrong.length === 0;
        const { answered, lost, doubled, foreign, failed, slowestMs } = report;
        line(fault.name, [answered, lost, doubled, foreign, failed, slowestMs], wrong.join(', '));
      }
    }
  } finally {
    await arena.close();
  }
}

line('fault', ['answered', 'lost', 'doubled', 'foreign', 'failed', 'slowest'], '');
if (upgrade) {
  const old = mkdtempSync(join(tmpdir(), 'chaos-upgrade-'));
  execFileSync('git', ['worktree', 'add', '--detach', '--force', old, upgrade], {
    cwd: ROOT,
    stdio: 'ignore',
  });
  installPackages(old);
  // Replaces the path of this version's launcher, which follows that of Node.js.
  const launcher = [
    'sh',
    '-c',
    'node=$1; shift 2; exec "$node" "$0/bin/tool-gateway.mjs" "$@"',
    old,
  ];
  try {
    for (let round = 0; round < times; round++) await run(launcher, 1);
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', old], { cwd: ROOT, stdio: 'ignore' });
    rmSync(old, { recursive: true, force: true });
  }
} else await run([], times);
if (!isSound) process.exitCode = 1;
