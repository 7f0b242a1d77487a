import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeStores } from '../../test/support/databases.ts';
import {
  description,
  openRegistrationPlace,
  type RegistrationPlace,
  smallSteps,
  storedRows,
} from '../../test/support/registrations.ts';
import { until } from '../../test/support/until.ts';
import { newEncryptionKey } from '../platform/vault/cipher.ts';
import type { JobView } from './registration-views.ts';
import { createRegistrations } from './registrations.ts';
import { LEASE_MS } from './store/registration-bounds.ts';

const SCRIPT = fileURLToPath(new URL('../../test/support/run-registration.ts', import.meta.url));
/** How often a process is killed in each state, and at a random time. */
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 1);
const STATES = ['queued', 'fetching', 'validating', 'converting', 'registered'];

describeStores('a job whose process is killed', (backend) => {
  let here: RegistrationPlace;
  const key = newEncryptionKey();
  const children = new Set<ChildProcess>();
  beforeEach(async () => {
    here = await openRegistrationPlace(backend, key);
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    await here.close();
  });

  /** Starts a process that registers an API, and kills it with SIGKILL when `isTime` is true of its output. */
  async function killWhen(stopAt: string, isTime: (output: string) => Promise<boolean> | boolean) {
    const { dataDir, databaseUrl } = here.place;
    const input = {
      dataDir,
      databaseUrl: databaseUrl?.reveal() ?? null,
      key: key.reveal(),
      tenantId: here.ours,
      stopAt,
    };
    const child = spawn(process.execPath, [SCRIPT, JSON.stringify(input)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.add(child);
    const exited = once(child, 'exit');
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await until(() => isTime(output));
    child.kill('SIGKILL');
    expect((await exited)[1]).toBe('SIGKILL');
  }

  /** Another process runs what is left, after the lease of the dead one. */
  async function finish(): Promise<{ job: JobView; events: string[] }> {
    const [row] = await here.database.db.selectFrom('registration_jobs').selectAll().execute();
    const jobId = row?.id ?? '';
    const events: string[] = [];
    const registrations = createRegistrations({
      ...here.deps,
      clock: { now: () => Date.now() + LEASE_MS },
      serve: async () => undefined,
      steps: smallSteps({ 'https://api.example.com/openapi.json': description('list get') }),
      onChanged: ({ status }) => void events.push(status),
      onError: (error) => expect.fail(String(error)),
    });
    const status = () => registrations.status({ tenantId: here.ours }, jobId);
    await until(async () => (await status()).progress === 1);
    const job = await status();
    await registrations.close();
    return { job, events };
  }

  async function assertRegisteredOnce(): Promise<void> {
    const { job, events } = await finish();
    expect(job).toMatchObject({ status: 'registered', toolIds: { length: 2 } });
    expect(events.filter((status) => status === 'registered').length).toBeLessThanOrEqual(1);
    const stored = await storedRows(here.database);
    const [registration] = stored.registrations;
    expect(stored.registrations).toHaveLength(1);
    expect(stored.documents).toHaveLength(1);
    expect(stored.secrets).toEqual([{ subject_id: registration?.id, field: 'token' }]);
  }

  const rounds = Array.from({ length: ROUNDS }, (_, n) => n + 1);

  it.each(rounds.flatMap((round) => STATES.map((state) => ({ state, round }))))(
    'in state $state is registered once (round $round)',
    async ({ state }) => {
      await killWhen(state, (output) => output.includes(`${state}\n`));
      await assertRegisteredOnce();
    },
  );

  it.each(rounds)('at any time after its submission is registered once (round %i)', async () => {
    const isTime = async () => {
      const rows = await here.database.db.selectFrom('registration_jobs').select('id').execute();
      if (rows.length > 0) await sleep(Math.random() * 20);
      return rows.length > 0;
    };
    await killWhen('', isTime);
    await assertRegisteredOnce();
  });
});
