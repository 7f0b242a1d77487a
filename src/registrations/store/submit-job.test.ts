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
import { runJob } from '../jobs/run-job.ts';
import { createJobStore, findJob } from './job-store.ts';
import type { RegisterDeps } from './register-job.ts';
import {
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
    more: { tenantId?: string } = {},
    deps: RegisterDeps = here.deps,
  ) => submitJob(deps, { tenantId: here.ours, apiKeyId: 'key_1', request: request(body), ...more });

  /** Runs every job that waits. */
  async function runAll(): Promise<void> {
    const ignore = () => undefined;
    const queue = createJobStore(here.deps);
    const deps = { queue, steps: smallSteps(), onChanged: ignore, onError: ignore };
    const waiting = here.database.db.selectFrom('registration_jobs').where('state', '=', 'queued');
    const jobs = await waiting.select(['id', 'tenant_id as tenantId']).orderBy('id').execute();
    for (const job of jobs) await runJob(deps, job, new AbortController().signal);
  }
  const find = (id: string) => findJob(here.deps.db, here.ours, id);

  it('stores the job without its credentials, which are encrypted', async () => {
    const auth = { type: 'bearer', token: 'very-secret' };
    const job = await submit({ auth });
    expect(job).toMatchObject({ state: 'queued', name: 'My API' });
    const rows = await here.database.db.selectFrom('registration_jobs').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('very-secret');
    const { secrets } = await storedRows(here.database);
    expect(secrets).toEqual([{ subject_id: job.id, field: 'token' }]);
  });

  it('stores no credential of a dry run', async () => {
    await submit({ auth: { type: 'bearer', token: 't' }, dry_run: true });
    expect((await storedRows(here.database)).secrets).toEqual([]);
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
    const job = await submit();
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
    const states = await Promise.all(last.map(async ({ id }) => (await find(id))?.state));
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
    expect(await find(tooMany.id)).toMatchObject({
      state: 'failed',
      error: { code: 'unprocessable', message: expect.stringContaining('4990 are registered') },
    });
    expect(await find(enough.id)).toMatchObject({ state: 'registered' });
  });

  it('keeps 1,000 ended jobs of a tenant', async () => {
    const job = await submit({ dry_run: true });
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
    const job = await submit();
    const queue = createJobStore(here.deps);
    await runAll();
    here.clock.nowMs += JOB_RETENTION_MS;
    const waiting = await submit({ name: 'Other' });
    expect(await queue.sweep()).toBe(0);
    here.clock.nowMs += 1;
    expect(await queue.sweep()).toBe(1);
    expect(await find(job.id)).toBeUndefined();
    expect(await find(waiting.id)).toBeDefined();
  });
});
