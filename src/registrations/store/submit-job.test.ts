import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeStores } from '../../../test/support/databases.ts';
import {
  openRegistrationPlace,
  type RegistrationPlace,
  request,
  smallSteps,
  storedRows,
} from '../../../test/support/registrations.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { newPersonId } from '../../platform/kernel/ids.ts';
import { runJob } from '../jobs/run-job.ts';
import { createJobStore } from './job-store.ts';
import type { RegisterDeps } from './register-job.ts';
import {
  IDEMPOTENCY_MS,
  JOB_RETENTION_MS,
  MAX_ENDED_JOBS,
  MAX_REGISTRATIONS,
  MAX_TOOLS,
  MAX_WAITING_JOBS,
} from './registration-bounds.ts';
import { submitJob } from './submit-job.ts';

describeStores('submitting a registration job', (backend) => {
  let here: RegistrationPlace;
  beforeEach(async () => {
    here = await openRegistrationPlace(backend);
  });
  afterEach(() => here.close());

  const submit = (
    body: Record<string, unknown> = {},
    more: { tenantId?: string; apiKeyId?: string; idempotencyKey?: string } = {},
    deps: RegisterDeps = here.deps,
  ) => submitJob(deps, { tenantId: here.ours, apiKeyId: 'key_1', request: request(body), ...more });

  /** Runs every job that is due. */
  async function runAll(steps = smallSteps()): Promise<void> {
    const queue = createJobStore(here.deps);
    const ignore = () => undefined;
    const deps = { queue, steps, clock: here.clock, onChanged: ignore, onError: ignore };
    for (let job = await queue.claim(); job; job = await queue.claim()) {
      await runJob(deps, job, new AbortController().signal);
    }
  }
  const find = (id: string) => createJobStore(here.deps).find(here.ours, id);

  it('stores the job without its credentials, which are encrypted', async () => {
    const auth = { type: 'bearer', token: 'very-secret' };
    const { job, isNew } = await submit({ auth });
    expect(isNew).toBe(true);
    expect(job).toMatchObject({ state: 'queued', attempt: 0, name: 'My API' });
    const rows = await here.database.db.selectFrom('registration_jobs').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('very-secret');
    const { secrets } = await storedRows(here.database);
    expect(secrets).toEqual([{ subject_id: job.id, field: 'token' }]);
  });

  it('stores no credential of a dry run', async () => {
    await submit({ auth: { type: 'bearer', token: 't' }, dry_run: true });
    expect((await storedRows(here.database)).secrets).toEqual([]);
  });

  it('finds the job of the same request by its idempotency key', async () => {
    const auth = { type: 'bearer', token: 't' };
    const first = await submit({ auth }, { idempotencyKey: 'k' });
    const again = await submit({ auth }, { idempotencyKey: 'k' });
    expect(again).toEqual({ job: first.job, isNew: false });
    await runAll();
    expect(await submit({ auth }, { idempotencyKey: 'k' })).toMatchObject({
      job: { id: first.job.id, state: 'registered' },
      isNew: false,
    });
  });

  it.each([
    ['name', { name: 'Other' }],
    ['description', { spec_raw: 'other' }],
    ['credential', { auth: { type: 'bearer', token: 'other' } }],
    ['confirmation', { confirm_origins: ['https://api.example.com'] }],
  ])('refuses an idempotency key with another %s', async (_, other) => {
    const auth = { type: 'bearer', token: 't' };
    const { job } = await submit({ auth }, { idempotencyKey: 'k' });
    await expect(submit({ auth, ...other }, { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'conflict',
      details: { location: `/api/v1/register/${job.id}/status` },
    });
  });

  it('keeps idempotency keys apart by API key, and for a day', async () => {
    await submit({}, { idempotencyKey: 'k' });
    const other = { name: 'Other' };
    expect(await submit(other, { idempotencyKey: 'k', apiKeyId: 'key_2' })).toMatchObject({
      isNew: true,
    });
    here.clock.nowMs += IDEMPOTENCY_MS;
    const later = { name: 'Later' };
    const { job, isNew } = await submit(later, { idempotencyKey: 'k' });
    expect(isNew).toBe(true);
    expect((await submit(later, { idempotencyKey: 'k' })).job.id).toBe(job.id);
  });

  it('keeps the idempotency keys of a person apart by tenant', async () => {
    const person = { apiKeyId: newPersonId(), idempotencyKey: 'k' };
    const { job } = await submit({}, person);
    const theirs = await submit({ name: 'Other' }, { ...person, tenantId: here.theirs });
    expect(theirs).toMatchObject({ isNew: true, job: { tenantId: here.theirs } });
    expect(await submit({}, person)).toEqual({ job, isNew: false });
  });

  it('creates one job when the same request arrives several times at once', async () => {
    const same = await Promise.all(
      Array.from({ length: 6 }, () => submit({}, { idempotencyKey: 'k' })),
    );
    expect(new Set(same.map(({ job }) => job.id)).size).toBe(1);
    expect(same.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  it('accepts one of several jobs with the same name at once, in two processes', async () => {
    // Two connections to one SQLite file in one process would wait for one another.
    const second = backend.name === 'postgres' ? openDatabase(here.place) : null;
    const depsOf = (n: number) => (n % 2 && second ? { ...here.deps, db: second.db } : here.deps);
    const names = ['My API', 'my-api', 'MY API', 'my  api', 'My API', 'my_api'];
    const results = await Promise.allSettled(
      names.map((name, n) => submit({ name }, {}, depsOf(n))),
    );
    await second?.close();
    const refused = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused.map(({ code }) => code)).toEqual(Array(5).fill('conflict'));
    expect((await storedRows(here.database)).documents).toHaveLength(1);
  });

  it('refuses the name of a registration and names its address, until it is deleted', async () => {
    const { job } = await submit();
    await runAll();
    const { registrationId } = (await find(job.id)) ?? {};
    await expect(submit({ name: 'my-api' })).rejects.toMatchObject({
      code: 'conflict',
      details: { location: `/api/v1/registrations/${registrationId}` },
    });
    await submit({ dry_run: true });
    await submit({}, { tenantId: here.theirs });
  });

  it('accepts 32 waiting jobs of a tenant', async () => {
    const results: PromiseSettledResult<unknown>[] = [];
    // No more at once than there are connections: a job must not wait for one for longer than it may.
    for (let n = 0; n < MAX_WAITING_JOBS + 3; n += 7) {
      const some = Array.from({ length: 7 }, (_, m) => submit({ name: `A${n + m}` }));
      results.push(...(await Promise.allSettled(some)));
    }
    const refused = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused).toHaveLength(3);
    expect(refused[0]).toMatchObject({
      code: 'rate_limited',
      details: { retryAfterSeconds: expect.any(Number) },
    });
    await submit({}, { tenantId: here.theirs });
    await runAll();
    await submit({ name: 'next' });
  });

  it('serves the tenants in turn, whatever one of them submits', async () => {
    for (let n = 0; n < 4; n++) await submit({ name: `A${n}`, dry_run: true });
    here.clock.nowMs += 1000;
    await submit({ dry_run: true }, { tenantId: here.theirs });
    const queue = createJobStore(here.deps);
    const order = [await queue.claim(), await queue.claim(), await queue.claim()];
    expect(order.map((job) => job?.tenantId)).toEqual([here.ours, here.theirs, here.ours]);
  });

  it('accepts 100 registrations of a tenant', { timeout: 180_000 }, async () => {
    for (let n = 0; n < MAX_REGISTRATIONS; n += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, m) => submit({ name: `A${n + m}` })));
      await runAll();
    }
    expect((await storedRows(here.database)).registrations).toHaveLength(MAX_REGISTRATIONS);
    await expect(submit({ name: 'one more' })).rejects.toMatchObject({ code: 'unprocessable' });
    await submit({}, { tenantId: here.theirs });
  });

  it('accepts no more registrations when several jobs end at once', {
    timeout: 180_000,
  }, async () => {
    for (let n = 0; n < MAX_REGISTRATIONS - 1; n += 11) {
      await Promise.all(Array.from({ length: 11 }, (_, m) => submit({ name: `A${n + m}` })));
      await runAll();
    }
    const last = [await submit({ name: 'B' }), await submit({ name: 'C' })];
    await runAll();
    const states = await Promise.all(last.map(async ({ job }) => (await find(job.id))?.state));
    expect(states).toEqual(['registered', 'failed']);
  });

  it('accepts 5,000 tools of a tenant', async () => {
    const tools = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`).join(' ');
    const body = (name: string, count: number) => ({
      name,
      spec_raw: `https://example.com\n${tools(count)}`,
    });
    await submit(body('A', MAX_TOOLS - 10));
    const tooMany = await submit(body('B', 11));
    const enough = await submit(body('C', 10));
    await runAll();
    expect(await find(tooMany.job.id)).toMatchObject({
      state: 'failed',
      error: { code: 'unprocessable', message: expect.stringContaining('4990 are registered') },
    });
    expect(await find(enough.job.id)).toMatchObject({ state: 'registered' });
  });

  it('keeps 1,000 ended jobs of a tenant', async () => {
    const { job } = await submit({ dry_run: true });
    await runAll();
    const [row] = await here.database.db.selectFrom('registration_jobs').selectAll().execute();
    if (!row) throw new Error('The job is missing.');
    const rows = Array.from({ length: MAX_ENDED_JOBS - 1 }, (_, n) => ({
      ...row,
      id: `job_Z${String(n).padStart(5, '0')}`,
    }));
    for (let n = 0; n < rows.length; n += 100) {
      await here.database.db
        .insertInto('registration_jobs')
        .values(rows.slice(n, n + 100))
        .execute();
    }
    await submit({ dry_run: true });
    expect(await find(job.id)).toBeDefined();
    await runAll();
    await submit({ dry_run: true });
    expect(await find(job.id)).toBeUndefined();
  });

  it('keeps ended jobs for 30 days', async () => {
    const { job } = await submit();
    const queue = createJobStore(here.deps);
    await runAll();
    here.clock.nowMs += JOB_RETENTION_MS;
    const waiting = await submit({ name: 'Other' });
    expect(await queue.sweep()).toBe(0);
    here.clock.nowMs += 1;
    expect(await queue.sweep()).toBe(1);
    expect(await find(job.id)).toBeUndefined();
    expect(await find(waiting.job.id)).toBeDefined();
  });
});
