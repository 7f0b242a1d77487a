import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createApiKeyStore } from '../../../src/access/keys/api-key-store.ts';
import { systemClock } from '../../../src/platform/kernel/time.ts';
import { openTestDatabase } from '../../support/databases.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { makeDataDir, removeDir } from '../../support/temporary-dir.ts';
import { type Forwarder, startForwarder } from '../support/forwarder.ts';
import { serveCatalogue } from './catalogue-upstream.ts';
import {
  type Check,
  listScenarios,
  programTextOf,
  runScenario,
  SUITES,
  type Suite,
} from './suite.ts';

/** What does not apply to a gateway that only has tools, with the reason for each. */
interface NotApplicable {
  /** By scenario. */
  readonly scenarios: Readonly<Record<string, string>>;
  /** By `scenario:check`. */
  readonly checks: Readonly<Record<string, string>>;
}

const here = import.meta.dirname;
const notApplicable: NotApplicable = parse(
  await readFile(join(here, 'not-applicable.yaml'), 'utf8'),
);
const suites = await Promise.all(
  SUITES.map(async (suite) => ({ suite, scenarios: await listScenarios(suite) })),
);

let gateway: TestGateway;
let keyProxy: Forwarder;
let presetsDir: string;

beforeAll(async () => {
  presetsDir = await makeDataDir();
  await mkdir(join(presetsDir, 'fixture'));
  await cp(join(here, 'catalogue.yaml'), join(presetsDir, 'fixture/conformance.yaml'));
  gateway = await startTestGateway({
    env: { PRESETS_DIR: presetsDir, RATE_LIMIT_PER_MINUTE: '0' },
  });
  const { id, key } = await gateway.createKey('conformance');
  gateway.upstream.answer(serveCatalogue(() => toggleSpareTool(id)));
  // The suite has no option for headers.
  keyProxy = await startForwarder(() => gateway.url, { 'x-api-key': key });
});
afterAll(async () => {
  await keyProxy.close();
  await gateway.close();
  await removeDir(presetsDir);
});

/** Removes and adds a tool, like `tool-gateway keys change --tools`. */
async function toggleSpareTool(id: string): Promise<void> {
  const dataDir = join(gateway.place.dataDir, 'data');
  const { db, close } = await openTestDatabase({ ...gateway.place, dataDir });
  const keys = createApiKeyStore({ db, clock: systemClock });
  const key = await keys.find({ id });
  await keys.change({ id }, { allowedTools: key.allowedTools ? null : ['test_*', 'json_*'] });
  await close();
}

interface Run {
  readonly suite: Suite;
  readonly revision: string;
  readonly scenarios: readonly string[];
}

const isRun = (scenario: string): boolean => !(scenario in notApplicable.scenarios);

/** All runs: each scenario for each of its revisions. */
const runs: readonly Run[] = suites.flatMap(({ suite, scenarios }) =>
  suite.revisions.map((revision) => ({
    suite,
    revision,
    scenarios: scenarios
      .filter(({ name, revisions }) => isRun(name) && revisions.includes(revision))
      .map(({ name }) => name),
  })),
);

describe.each(runs)('$suite.name for $revision', ({ suite, revision, scenarios }) => {
  test.for(scenarios)('%s', async (scenario) => {
    const checks = await runScenario(suite, scenario, revision, `${keyProxy.url}/mcp`);
    expect(checks).not.toEqual([]);
    const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    expect(bad.filter(({ id }) => !isListed(scenario, id)).map(tell)).toEqual([]);
    const good = checks.filter(({ status }) => status === 'SUCCESS');
    expect(good.filter(({ id }) => isListed(scenario, id)).map(tell)).toEqual([]);
  });
});

const isListed = (scenario: string, check: string): boolean =>
  `${scenario}:${check}` in notApplicable.checks;

const tell = ({ id, status, errorMessage, details }: Check): string =>
  `${status} ${id}: ${errorMessage ?? details?.message ?? ''}`;

describe('not-applicable.yaml', () => {
  const known = suites.flatMap(({ scenarios }) => scenarios);
  const names = new Set(known.map(({ name }) => name));

  test('names only scenarios of a suite', () => {
    expect(Object.keys(notApplicable.scenarios).filter((name) => !names.has(name))).toEqual([]);
  });

  test('names only checks of scenarios that are run', async () => {
    const programs = await Promise.all(SUITES.map(programTextOf));
    const stale = Object.keys(notApplicable.checks).filter((entry) => {
      const [scenario = '', check = ''] = entry.split(':');
      return !(
        names.has(scenario) &&
        isRun(scenario) &&
        programs.some((text) => text.includes(check))
      );
    });
    expect(stale).toEqual([]);
  });

  test('and the runs cover every scenario of a suite', () => {
    const done = new Set(runs.flatMap(({ scenarios }) => scenarios));
    expect([...names].filter((name) => isRun(name) && !done.has(name))).toEqual([]);
  });
});
