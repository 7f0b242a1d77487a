import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeStores } from '../../test/support/databases.ts';
import {
  description,
  openRegistrationPlace,
  type RegistrationPlace,
  request,
  smallSteps,
  storedRows,
} from '../../test/support/registrations.ts';
import { until } from '../../test/support/until.ts';
import { createVault } from '../platform/vault/vault.ts';
import { createJobRunner } from './jobs/job-runner.ts';
import type { JobView } from './registration-views.ts';
import {
  createRegistrations,
  type Registrations,
  type RegistrationsDeps,
} from './registrations.ts';
import { createJobStore } from './store/job-store.ts';
import { MAX_JOB_SILENCE_MS, MAX_QUEUED_JOBS } from './store/registration-bounds.ts';
import { submitJob } from './store/submit-job.ts';

describeStores('the registrations of a tenant', (backend) => {
  let here: RegistrationPlace;
  let registrations: Registrations;
  const events: { job: JobView; owner: object }[] = [];
  const failures: unknown[] = [];

  const open = (more: Partial<RegistrationsDeps> = {}) =>
    createRegistrations({
      ...here.deps,
      clock: { now: () => Date.now() },
      serve: async () => undefined,
      steps: smallSteps(),
      onChanged: (job, owner) => void events.push({ job, owner }),
      onError: (error) => void failures.push(error),
      ...more,
    });
  beforeEach(async () => {
    here = await openRegistrationPlace(backend);
    events.length = 0;
    failures.length = 0;
    registrations = open();
  });
  afterEach(async () => {
    await registrations.close();
    await here.close();
    expect(failures).toEqual([]);
  });

  const ours = () => ({ tenantId: here.ours, apiKeyId: 'key_1' });
  const theirs = () => ({ tenantId: here.theirs, apiKeyId: 'key_2' });
  const auth = { type: 'bearer', token: 't' };

  async function ended(jobId: string, of = registrations): Promise<JobView> {
    await until(async () => (await of.status(ours(), jobId)).progress === 1);
    return of.status(ours(), jobId);
  }
  /** Registers an API and resolves with its id. */
  async function register(body: Record<string, unknown> = {}): Promise<string> {
    const { jobId } = await registrations.submit(ours(), request(body));
    const { status, error } = await ended(jobId);
    expect({ status, error }).toMatchObject({ error: null });
    const { registrations: all } = await registrations.list(ours(), { limit: 100 });
    const { name } = await registrations.status(ours(), jobId);
    return all.find((each) => each.name === name)?.id ?? '';
  }

  it('follows a job from its submission to its tools, with an event for every state', async () => {
    const job = await registrations.submit(ours(), request({ auth }));
    expect(job).toMatchObject({ status: 'queued', progress: 0, toolIds: [], error: null });
    expect(job.job_id).toMatch(/^job_[0-9A-Z]{26}$/);
    expect(job.jobId).toBe(job.job_id);
    const toolIds = ['@ours.my-api.list', '@ours.my-api.get'];
    expect(await ended(job.jobId)).toMatchObject({ status: 'registered', progress: 1, toolIds });
    await until(() => events.length === 5);
    expect(events.map(({ job: { status } }) => status)).toEqual([
      'queued',
      'fetching',
      'validating',
      'converting',
      'registered',
    ]);
    expect(events.at(-1)).toMatchObject({ job: { toolIds }, owner: ours() });
    expect(JSON.stringify(events)).not.toContain('"t"');
  });

  it('shows a registration without its credentials', async () => {
    const id = await register({ auth, base_url: 'https://other.example.com' });
    expect(id).toMatch(/^reg_[0-9A-Z]{26}$/);
    expect(await registrations.get(ours(), id)).toEqual({
      id,
      tenant: 'ours',
      name: 'My API',
      slug: 'my-api',
      baseUrl: 'https://other.example.com',
      category: null,
      description: null,
      auth: { type: 'bearer', set: true },
      toolIds: ['@ours.my-api.list', '@ours.my-api.get'],
      revision: 1,
      source: { kind: 'text' },
      options: { baseUrl: 'https://other.example.com', include: null, exclude: [] },
      extensions: [],
      origins: ['https://other.example.com'],
      tools: ['list', 'get'].map((name) => ({
        id: `@ours.my-api.${name}`,
        name,
        ...{ ownText: null, description: null, method: null, path: null, rows: null },
      })),
      history: [
        {
          at: expect.stringMatching(/Z$/),
          actor: 'key_1',
          action: 'registration.created',
          details: { name: 'My API', tools: 2 },
        },
      ],
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
  });

  it('puts the slug before the name of a tool that the tenant already sees', async () => {
    await register();
    const id = await register({ name: 'Second' });
    expect((await registrations.get(ours(), id)).toolIds).toEqual([
      '@ours.second.second_list',
      '@ours.second.second_get',
    ]);
  });

  it('numbers the slugs of names without Latin letters', async () => {
    for (const name of ['날씨', '기온']) await register({ name });
    const { registrations: all } = await registrations.list(ours(), { limit: 10 });
    expect(all.map(({ slug }) => slug)).toEqual(['api-example-com', 'api-example-com-2']);
  });

  it('lists registrations in pages, without failed jobs and dry runs', async () => {
    for (const name of ['A', 'B', 'C']) await register({ name });
    const dry = await registrations.submit(ours(), request({ name: 'D', dry_run: true }));
    const failed = await registrations.submit(ours(), request({ name: 'E', spec_raw: 'broken' }));
    expect(await ended(dry.jobId)).toMatchObject({ status: 'checked', report: { tools: 2 } });
    expect(await ended(failed.jobId)).toMatchObject({ status: 'failed', toolIds: [] });
    const first = await registrations.list(ours(), { limit: 2 });
    expect(first.registrations.map(({ name }) => name)).toEqual(['A', 'B']);
    const cursor = first.nextCursor ?? '';
    const second = await registrations.list(ours(), { limit: 2, cursor });
    expect(second.registrations.map(({ name }) => name)).toEqual(['C']);
    expect(second.nextCursor).toBeNull();
  });

  it('does not show another tenant anything', async () => {
    const { jobId } = await registrations.submit(ours(), request());
    await ended(jobId);
    const { registrations: all } = await registrations.list(ours(), { limit: 1 });
    const id = all[0]?.id ?? '';
    expect(await registrations.list(theirs(), { limit: 100 })).toEqual({
      registrations: [],
      nextCursor: null,
    });
    const notFound = { code: 'not_found' };
    await expect(registrations.status(theirs(), jobId)).rejects.toMatchObject(notFound);
    await expect(registrations.get(theirs(), id)).rejects.toMatchObject(notFound);
    await expect(registrations.patch(theirs(), id, { name: 'x' })).rejects.toMatchObject(notFound);
    await expect(registrations.delete(theirs(), id)).rejects.toMatchObject(notFound);
    expect(await registrations.get(ours(), id)).toMatchObject({ name: 'My API' });
  });

  it('deletes a registration with everything stored of it, and frees its name', async () => {
    const id = await register({ auth });
    await registrations.delete(ours(), id);
    expect(await storedRows(here.database)).toEqual({
      secrets: [],
      documents: [],
      registrations: [],
    });
    await expect(registrations.delete(ours(), id)).rejects.toMatchObject({ code: 'not_found' });
    await register();
  });

  it('deletes the registration that has a tool', async () => {
    const id = await register();
    const other = await register({ name: 'Other' });
    const deleted = await registrations.deleteByTool(ours(), '@ours.my-api.get');
    expect(deleted.id).toBe(id);
    const notFound = { code: 'not_found' };
    for (const toolId of ['@ours.my-api.get', '@ours.other.nothing', 'list', '@ours', '']) {
      await expect(registrations.deleteByTool(ours(), toolId)).rejects.toMatchObject(notFound);
    }
    const [toolId = ''] = (await registrations.get(ours(), other)).toolIds;
    await expect(registrations.deleteByTool(theirs(), toolId)).rejects.toMatchObject(notFound);
    expect((await registrations.deleteByTool(ours(), toolId)).id).toBe(other);
  });

  it('changes the name, and keeps the slug', async () => {
    const id = await register();
    await register({ name: 'Second' });
    const patched = await registrations.patch(ours(), id, { name: 'Third' });
    expect(patched).toMatchObject({ name: 'Third', slug: 'my-api' });
    await expect(registrations.patch(ours(), id, { name: 'second' })).rejects.toMatchObject({
      code: 'conflict',
    });
    await registrations.patch(ours(), id, { name: 'THIRD' });
  });

  it('replaces the credentials', async () => {
    const id = await register({ auth: { type: 'basic', username: 'u', password: 'p' } });
    const { authentication } = request({ auth });
    expect(await registrations.patch(ours(), id, { authentication })).toMatchObject({
      auth: { type: 'bearer', set: true },
    });
    const { secrets } = await storedRows(here.database);
    expect(secrets).toEqual([{ subject_id: id, field: 'token' }]);
    expect((await registrations.store.find(here.ours, id)).credentialVersion).toBe(2);
  });

  it('refuses credentials that it cannot encrypt, and stores nothing', async () => {
    await registrations.close();
    registrations = open({ vault: createVault(() => []) });
    await expect(registrations.submit(ours(), request({ auth }))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('ENCRYPTION_KEY'),
    });
    expect(await storedRows(here.database)).toMatchObject({ documents: [] });
    const { jobId } = await registrations.submit(ours(), request());
    expect(await ended(jobId)).toMatchObject({ status: 'registered' });
  });

  it('fails its jobs when it closes, and they can be sent again', async () => {
    const url = 'https://example.com/slow';
    await registrations.close();
    let started = 0;
    registrations = open({
      steps: {
        ...smallSteps(),
        fetchDocument: () => {
          started++;
          return new Promise(() => undefined);
        },
      },
    });
    const ids: string[] = [];
    for (const name of ['A', 'B', 'waits']) {
      const body = request({ name, spec_url: url, auth });
      ids.push((await registrations.submit(ours(), body)).jobId);
    }
    await until(() => started === 2);
    await registrations.close();
    const interrupted = {
      code: 'unavailable',
      message: expect.stringMatching(/interrupted.*again/),
    };
    for (const id of ids) {
      const job = await registrations.status(ours(), id);
      expect(job).toMatchObject({ status: 'failed', error: interrupted });
      expect(events.filter(({ job: { jobId } }) => jobId === id).at(-1)?.job).toEqual(job);
    }
    const nothing = { secrets: [], documents: [], registrations: [] };
    expect(await storedRows(here.database)).toEqual(nothing);
    registrations = open({ steps: smallSteps({ [url]: description('list') }) });
    await register({ name: 'A', spec_url: url });
  });

  it('runs the jobs of others while every server of one tenant hangs', async () => {
    await registrations.close();
    const hanging = new Set<string>();
    registrations = open({
      steps: {
        ...smallSteps(),
        fetchDocument: (address, { signal }) =>
          new Promise((_, reject) => {
            hanging.add(address);
            signal.addEventListener('abort', () => reject(signal.reason));
          }),
      },
    });
    for (let n = 0; n < 8; n++) {
      const body = { name: `Slow ${n}`, spec_url: `https://example.com/${n}` };
      await registrations.submit(ours(), request(body));
    }
    await until(() => hanging.size > 1);
    const { jobId } = await registrations.submit(theirs(), request());
    await until(async () => (await registrations.status(theirs(), jobId)).status === 'registered');
    expect(hanging.size).toBe(2);
  });

  it('accepts 1,000 waiting jobs of all tenants', async () => {
    const queue = createJobStore(here.deps);
    const forever = { ...smallSteps(), fetchDocument: () => new Promise<Buffer>(() => undefined) };
    const ignore = () => undefined;
    const runner = createJobRunner({ queue, steps: forever, onChanged: ignore, onError: ignore });
    runner.assertRoom();
    for (let n = 0; n < MAX_QUEUED_JOBS + 2; n++)
      runner.add({ id: `job_${n}`, tenantId: here.ours });
    await expect(async () => runner.assertRoom()).rejects.toMatchObject({ code: 'overloaded' });
    await runner.close();
  });

  it('fails the job of a process that died, once it has been silent for long enough', async () => {
    await registrations.close();
    const job = await submitJob(here.deps, { ...ours(), request: request({ auth }) });
    const again = { ...ours(), request: request() };
    await expect(submitJob(here.deps, again)).rejects.toMatchObject({ code: 'conflict' });
    const queue = createJobStore(here.deps);
    here.clock.nowMs += MAX_JOB_SILENCE_MS;
    expect(await queue.silent()).toEqual([]);
    here.clock.nowMs += 1;
    expect(await queue.silent()).toMatchObject([{ id: job.id, tenantId: here.ours }]);
    await queue.keepAlive([job.id]);
    expect(await queue.silent()).toEqual([]);
    here.clock.nowMs += MAX_JOB_SILENCE_MS + 1;
    registrations = open({ clock: here.clock });
    expect(await ended(job.id)).toMatchObject({ status: 'failed', error: { code: 'unavailable' } });
    expect(events).toMatchObject([{ job: { jobId: job.id, status: 'failed' }, owner: ours() }]);
    const nothing = { secrets: [], documents: [], registrations: [] };
    expect(await storedRows(here.database)).toEqual(nothing);
    await submitJob(here.deps, again);
  });
});
