import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeStores } from '../../../test/support/databases.ts';
import {
  openRegistrationPlace,
  type RegistrationPlace,
  request,
} from '../../../test/support/registrations.ts';
import { until } from '../../../test/support/until.ts';
import { createJobStore } from './job-store.ts';
import { followLayers } from './layers.ts';
import { createRegistrationStore } from './registration-store.ts';
import { submitJob } from './submit-job.ts';

describeStores('following the layers', (backend) => {
  let here: RegistrationPlace;
  /** Reads changes only when a test asks: two reads at once may both report a change. */
  let follower: Awaited<ReturnType<typeof followLayers>>;
  const changed: string[] = [];
  let resets = 0;
  beforeEach(async () => {
    here = await openRegistrationPlace(backend);
    changed.length = 0;
    resets = 0;
    follower = await follow(3_600_000);
  });
  afterEach(async () => {
    await follower.close();
    await here.close();
  });

  const follow = (pollMs: number) =>
    followLayers({
      db: here.database.db,
      pollMs,
      onChanged: (layers) => void changed.push(...layers),
      onReset: () => void resets++,
    });

  async function register(body: Record<string, unknown> = {}): Promise<string> {
    const queue = createJobStore(here.deps);
    const tenantId = here.ours;
    const job = await submitJob(here.deps, { tenantId, apiKeyId: 'key_1', request: request(body) });
    const compiled = {
      baseUrl: 'https://example.com',
      tools: ['a'],
      traits: {},
      report: {},
      compiledTools: null,
    };
    return (await queue.register(job, compiled))?.registrationId ?? '';
  }

  it('reports the layer of the tenant whose registrations changed, by itself', async () => {
    const polling = await follow(20);
    await register();
    await until(() => changed.length > 0);
    await polling.close();
    expect(new Set(changed)).toEqual(new Set([here.ours]));
  });

  it('reports every change once: registered, changed, deleted', async () => {
    const store = createRegistrationStore(here.deps);
    const seen = async () => {
      await follower.refresh();
      return changed.splice(0).map((layer) => (layer === here.ours ? 'ours' : layer));
    };
    const id = await register();
    expect(await seen()).toEqual(['ours']);
    expect(await seen()).toEqual([]);
    await store.patch(here.ours, id, { name: 'Other' });
    expect(await seen()).toEqual(['ours']);
    await store.delete(here.ours, id);
    expect(await seen()).toEqual(['ours']);
  });

  it('does not report a job that was only submitted', async () => {
    const tenantId = here.ours;
    await submitJob(here.deps, { tenantId, apiKeyId: 'key_1', request: request() });
    await follower.refresh();
    expect(changed).toEqual([]);
  });

  it('notices a database that was restored from a backup', async () => {
    await register();
    await follower.refresh();
    await here.database.db.updateTable('changes').set({ version: 0 }).execute();
    await follower.refresh();
    expect(resets).toBe(1);
  });
});
