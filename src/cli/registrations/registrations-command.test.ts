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
import { newEncryptionKey } from '../../platform/vault/cipher.ts';
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

  /** Stores where a response had the rows of a tool, as a running gateway does. */
  const storeRows = (id: string, tool: string) =>
    here.database.db
      .insertInto('registration_rows')
      .values({
        ...{ registration_id: id, tool, tool_version: 'v', found_at_ms: 1 },
        place: JSON.stringify({ items: '/data', evidence: 'The only list, "data".' }),
      })
      .execute();

  it('list shows those of all tenants, oldest first, and never a credential', async () => {
    const auth = { type: 'bearer', token: 's3cret' };
    const [mine] = await register(here.ours, { name: 'Mine', auth });
    const [other] = await register(here.theirs, { name: 'Other' });
    const output = await outputOf('list');
    expect(output.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'TENANT', 'NAME', 'TOOLS', 'BASE URL'],
      [mine, 'ours', 'Mine', '2', 'https://api.example.com/v1'],
      [other, 'theirs', 'Other', '2', 'https://api.example.com/v1'],
      [''],
    ]);
    const lines = (await outputOf('list', '--json')).split('\n').filter(Boolean);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: mine, tenant: 'ours', name: 'Mine', auth: { type: 'bearer', set: true } },
      { id: other, tenant: 'theirs', toolIds: ['@theirs.other.list', '@theirs.other.get'] },
    ]);
    expect(output + lines.join()).not.toContain('s3cret');
  });

  it('list shows those of one tenant', async () => {
    const [mine] = await register(here.ours, { name: 'Mine' });
    await register(here.theirs, { name: 'Other' });
    const listed = await outputOf('list', '--tenant', 'ours');
    expect(listed.match(/^reg_\w+/gm)).toEqual([mine]);
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

  it('show prints a registration with its report, and the description as it is stored', async () => {
    const [id = ''] = await register(here.ours, { name: 'Mine' });
    await store.patch(here.ours, id, { descriptions: new Map([['list', 'Lists all.']]) });
    await storeRows(id, 'get');
    const shown = JSON.parse(await outputOf('show', id));
    expect(shown).toMatchObject({
      id,
      tenant: 'ours',
      revision: 2,
      origins: ['https://api.example.com'],
      tools: [
        { name: 'list', ownText: 'Lists all.', rows: null },
        { name: 'get', ownText: null, rows: { items: '/data', source: 'response' } },
      ],
      report: { tools: 2 },
    });
    expect(await outputOf('show', id, '--document')).toBe(description('list get'));
    const { code, stderr } = await run('show', 'reg_0');
    expect([code, stderr]).toEqual([1, 'There is no registration with this id.\n']);
  });
});
