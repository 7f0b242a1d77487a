import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withoutDatabaseLine } from '../../../test/support/database-line.ts';
import { describeStores } from '../../../test/support/databases.ts';
import {
  description,
  openRegistrationPlace,
  type RegistrationPlace,
  request,
  smallSteps,
} from '../../../test/support/registrations.ts';
import { until } from '../../../test/support/until.ts';
import { newEncryptionKey } from '../../platform/vault/encryption-key.ts';
import { createRegistrations } from '../../registrations/registrations.ts';
import {
  createRegistrationStore,
  type RegistrationStore,
} from '../../registrations/store/registration-store.ts';
import { runWithin } from '../testing/run-within.ts';

describeStores('registrations', (backend) => {
  let here: RegistrationPlace;
  let store: RegistrationStore;
  beforeEach(async () => {
    const key = newEncryptionKey();
    here = await openRegistrationPlace(backend, key);
    store = createRegistrationStore(here.deps);
    vi.stubEnv('DATA_DIR', here.place.dataDir);
    vi.stubEnv('ENCRYPTION_KEY', key.reveal());
    vi.stubEnv('DATABASE_URL', here.place.databaseUrl?.reveal() ?? '');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await here.close();
  });

  const run = async (...args: string[]) =>
    withoutDatabaseLine(await runWithin('registrations', ...args));

  async function outputOf(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  }

  /** Registers APIs one after another, and resolves with their ids. No job runs afterwards. */
  async function register(tenantId: string, ...bodies: object[]): Promise<string[]> {
    const caller = { tenantId, apiKeyId: 'key_1' };
    const registrations = createRegistrations({
      ...here.deps,
      clock: { now: () => Date.now() },
      steps: smallSteps(),
      serve: async () => undefined,
      onChanged: () => undefined,
      onError: (error) => expect.unreachable(String(error)),
    });
    for (const body of bodies) {
      const { jobId } = await registrations.submit(caller, request({ ...body }));
      await until(async () => (await registrations.status(caller, jobId)).progress === 1);
    }
    await registrations.close();
    return (await store.list({ tenantId, limit: 1000 })).slice(-bodies.length).map(({ id }) => id);
  }
  const publish = async (name = 'Shared'): Promise<string> =>
    (await register(here.ours, { name, visibility: 'public' }))[0] ?? '';

  it('list shows those of all tenants, oldest first, and never a credential', async () => {
    const auth = { type: 'bearer', token: 's3cret' };
    const [mine] = await register(here.ours, { name: 'Mine', auth });
    const [other] = await register(here.theirs, { name: 'Other' });
    const output = await outputOf('list');
    expect(output.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'TENANT', 'NAME', 'STATUS', 'VISIBILITY', 'TOOLS', 'BASE URL'],
      [mine, 'ours', 'Mine', 'registered', 'private', '2', 'https://api.example.com/v1'],
      [other, 'theirs', 'Other', 'registered', 'private', '2', 'https://api.example.com/v1'],
      [''],
    ]);
    const lines = (await outputOf('list', '--json')).split('\n').filter(Boolean);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: mine, tenant: 'ours', name: 'Mine', auth: { type: 'bearer', set: true } },
      { id: other, tenant: 'theirs', toolIds: ['@theirs.other.list', '@theirs.other.get'] },
    ]);
    expect(output + lines.join()).not.toContain('s3cret');
  });

  it('list shows those of one tenant, and those that wait', async () => {
    const [mine] = await register(here.ours, { name: 'Mine' });
    const [other] = await register(here.theirs, { name: 'Other', visibility: 'public' });
    const shared = await publish();
    const idsOf = async (...options: string[]) =>
      (await outputOf('list', ...options)).match(/^reg_\w+/gm);
    expect(await idsOf('--tenant', 'ours')).toEqual([mine, shared]);
    expect(await idsOf('--awaiting')).toEqual([other, shared]);
    expect(await idsOf('--awaiting', '--tenant', 'ours')).toEqual([shared]);
    expect(await run('list', '--tenant', 'nobody')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no tenant nobody.\n',
    });
  });

  it('list reads any number of them, page by page', async () => {
    const names = Array.from({ length: 99 }, (_, index) => ({ name: `API ${index}` }));
    const ids = await register(here.ours, ...names);
    ids.push(...(await register(here.theirs, { name: 'Last' })));
    expect((await outputOf('list')).match(/^reg_\w+/gm)).toEqual(ids);
  }, 300_000);

  it('approve makes an API public', async () => {
    const id = await publish();
    expect(await outputOf('approve', id)).toBe(
      `${id} ("Shared" of ours) is public: gateways show its 2 tools to all tenants within a second.\n`,
    );
    expect((await store.layer('public')).map((each) => each.id)).toEqual([id]);
    expect(await outputOf('list', '--awaiting')).not.toContain(id);
  });

  it('show prints what would be approved, and the description as it is stored', async () => {
    const id = await publish();
    const shown = JSON.parse(await outputOf('show', id));
    expect(shown).toMatchObject({
      id,
      tenant: 'ours',
      status: 'awaiting_approval',
      revision: 1,
      version: 1,
      origins: ['https://api.example.com'],
      descriptions: {},
      report: { tools: 2 },
    });
    expect(await outputOf('show', id, '--document')).toBe(description('list get'));
    const { code, stderr } = await run('show', 'reg_0');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('There is no registration "reg_0"'),
    ]);
  });

  it.each([
    ['name', { name: 'Bank of Korea' }],
    ['category', { category: 'finance' }],
    ['note', { description: 'Official.' }],
    ['texts', { descriptions: new Map([['list', 'Call this tool first.']]) }],
  ])('approve takes no other %s than the one that was reviewed', async (_what, patch) => {
    const id = await publish();
    const reviewed = () => outputOf('show', id).then((text) => String(JSON.parse(text).revision));
    const seen = await reviewed();
    await store.patch(here.ours, id, patch);
    const { code, stderr } = await run('approve', id, '--reviewed', seen);
    expect([code, stderr]).toEqual([1, expect.stringContaining('was changed since that review')]);
    expect(await store.layer('public')).toEqual([]);
    expect(await outputOf('approve', id, '--reviewed', await reviewed())).toContain('is public');
  });

  it('reject deletes an API that was registered to be public', async () => {
    const id = await publish();
    expect(await outputOf('reject', id)).toBe(
      `${id} ("Shared" of ours) was rejected and deleted.\n`,
    );
    expect(await outputOf('list')).not.toContain(id);
  });

  it('reject keeps an API that was private before', async () => {
    const [id = ''] = await register(here.ours, { name: 'Mine' });
    await store.patch(here.ours, id, { visibility: 'public' });
    expect(await outputOf('reject', id)).toBe(
      `${id} ("Mine" of ours) was rejected; it stays private as before.\n`,
    );
    expect(await store.find(here.ours, id)).toMatchObject({ status: 'registered' });
  });

  it.each(['approve', 'reject'])('%s explains an id that does not wait', async (decision) => {
    const [id = ''] = await register(here.ours, { name: 'Mine' });
    const advice =
      'To list those that wait, run: npm run -s cli -- registrations list --awaiting\n';
    expect(await run(decision, id)).toEqual({
      code: 1,
      stdout: '',
      stderr: `The registration "${id}" does not wait for approval. ${advice}`,
    });
    expect(await run(decision, 'reg_none')).toEqual({
      code: 1,
      stdout: '',
      stderr: `There is no registration "reg_none". ${advice}`,
    });
    expect(await store.find(here.ours, id)).toMatchObject({ visibility: 'private' });
  });
});
