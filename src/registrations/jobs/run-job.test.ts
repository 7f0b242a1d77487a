import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeStores } from '../../../test/support/databases.ts';
import {
  description,
  openRegistrationPlace,
  type RegistrationPlace,
  request,
  smallSteps,
  storedRows,
} from '../../../test/support/registrations.ts';
import { simulateProcess } from '../../../test/support/simulated-process.ts';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { RegistrationSteps } from '../steps/registration-steps.ts';
import { ENDED_STATES, type JobRecord } from '../store/job-record.ts';
import { createJobStore } from '../store/job-store.ts';
import {
  JOB_RETENTION_MS,
  JOB_TIME_MS,
  LEASE_MS,
  MAX_ATTEMPTS,
} from '../store/registration-bounds.ts';
import { submitJob } from '../store/submit-job.ts';
import { runJob } from './run-job.ts';

const OAUTH = {
  auth: {
    type: 'oauth2_client_credentials',
    token_url: 'https://docs.example.com/token',
    client_id: 'me',
    client_secret: 's',
  },
};
const URL_OF = 'https://api.example.com/openapi.json';

describeStores('a registration job', (backend) => {
  let here: RegistrationPlace;
  const events: JobRecord[] = [];
  const errors: unknown[] = [];
  beforeEach(async () => {
    here = await openRegistrationPlace(backend);
    events.length = 0;
    errors.length = 0;
  });
  afterEach(() => here.close());

  const submit = async (body: Record<string, unknown>, tenantId = here.ours) =>
    (await submitJob(here.deps, { tenantId, apiKeyId: 'key_1', request: request(body) })).job;
  const depsWith = (steps: RegistrationSteps) => ({
    queue: createJobStore(here.deps),
    steps,
    clock: here.clock,
    onChanged: (job: JobRecord) => void events.push(job),
    onError: (error: unknown) => void errors.push(error),
  });
  /** Takes and runs the next job; resolves with what is stored of it afterwards. */
  async function runNext(steps = smallSteps()): Promise<JobRecord> {
    const deps = depsWith(steps);
    const job = await deps.queue.claim();
    if (!job) throw new Error('No job is due.');
    await runJob(deps, job, new AbortController().signal);
    const after = await deps.queue.find(job.tenantId, job.id);
    if (!after) throw new Error('The job is missing.');
    return after;
  }
  const states = () => events.map(({ state }) => state);
  const nothing = { secrets: [], documents: [], registrations: [] };
  const auth = { type: 'bearer', token: 't' };

  it('goes through its states to a registration with its document and credentials', async () => {
    await submit({ auth });
    const job = await runNext();
    expect(states()).toEqual(['fetching', 'validating', 'converting', 'registered']);
    expect(job).toMatchObject({ state: 'registered', report: { tools: 2 }, documentId: null });
    const stored = await storedRows(here.database);
    expect(stored.registrations).toEqual([{ id: job.registrationId, name: 'My API' }]);
    expect(stored.secrets).toEqual([{ subject_id: job.registrationId, field: 'token' }]);
    expect(stored.documents).toHaveLength(1);
  });

  it('fetches its description', async () => {
    await submit({ spec_url: URL_OF });
    const job = await runNext(smallSteps({ [URL_OF]: description('list') }));
    expect(job).toMatchObject({ state: 'registered', report: { tools: 1 } });
    expect((await storedRows(here.database)).documents).toHaveLength(1);
  });

  describe('whose description has its server at another origin', () => {
    const spec = { spec_url: 'https://docs.example.com/openapi.json', auth };
    const run = async (body: object, baseUrl?: string, operations = 'list get') => {
      await submit({ ...spec, ...body });
      return runNext(smallSteps({ [spec.spec_url]: description(operations, baseUrl) }));
    };
    const originsOf = async () => {
      const { db } = here.database;
      const rows = await db.selectFrom('registrations').select('origins').execute();
      return rows.map(({ origins }) => JSON.parse(origins));
    };
    const api = 'https://api.example.com';

    it('waits for a confirmation, and leaves nothing behind', async () => {
      const job = await run({});
      expect(states()).toEqual(['fetching', 'validating', 'converting', 'confirmation_required']);
      expect(job).toMatchObject({
        state: 'confirmation_required',
        origins: [api],
        error: { code: 'conflict', message: expect.stringContaining(`sent to ${api}, which`) },
        report: { tools: 2 },
        documentId: null,
      });
      expect(await storedRows(here.database)).toEqual(nothing);
      here.clock.nowMs += JOB_RETENTION_MS + 1;
      expect(await depsWith(smallSteps()).queue.sweep()).toBe(1);
    });

    it.each([
      ['another port', 'https://docs.example.com:8443/v1'],
      ['http', 'http://docs.example.com/v1'],
      ['a subdomain', 'https://api.docs.example.com'],
      ['OAuth', undefined, OAUTH],
      [
        'a confirmation of another origin',
        undefined,
        { confirm_origins: ['https://docs.example.com'] },
      ],
    ])('waits for a confirmation: %s', async (_what, baseUrl, body: object = {}) => {
      expect(await run(body, baseUrl)).toMatchObject({ state: 'confirmation_required' });
    });

    it.each([
      ['the same origin, with its default port', {}, 'https://docs.example.com:443/v1'],
      ['a base_url', { base_url: `${api}/v2` }],
      ['no credential', { auth: { type: 'none' } }],
      ['a confirmation', { confirm_origins: [api] }],
      ['its text instead of its address', { spec_url: undefined, spec_raw: description('list') }],
    ])('is registered with %s', async (_what, body, baseUrl = `${api}/v1`) => {
      expect(await run(body, baseUrl)).toMatchObject({ state: 'registered', origins: [] });
      expect(await originsOf()).toEqual([[new URL(baseUrl).origin]]);
    });

    it('sends the credential to the server of an operation only if that is confirmed', async () => {
      const operations = 'list get@https://other.example';
      const confirmed = [api, 'https://other.example', 'https://gone.example'];
      await run({ name: 'One', confirm_origins: [api] }, undefined, operations);
      await run({ name: 'Two', confirm_origins: confirmed }, undefined, operations);
      expect(await originsOf()).toEqual([[api], [api, 'https://other.example']]);
    });

    it('names its origins in a dry run', async () => {
      expect(await run({ dry_run: true })).toMatchObject({ state: 'checked', origins: [api] });
      const empty = await run({ dry_run: true }, '', '');
      expect(empty).toMatchObject({ state: 'checked', origins: [] });
    });
  });

  it('registers nothing in a dry run, and leaves nothing behind', async () => {
    await submit({ dry_run: true, auth });
    const job = await runNext();
    expect(job).toMatchObject({ state: 'checked', report: { tools: 2 }, documentId: null });
    expect(await storedRows(here.database)).toEqual(nothing);
  });

  it('fails with a reason and a pointer, and leaves nothing behind', async () => {
    await submit({ spec_raw: 'broken', auth });
    expect(await runNext()).toMatchObject({
      state: 'failed',
      error: { code: 'unprocessable', message: 'The description has no paths.', pointer: '/paths' },
    });
    expect(await storedRows(here.database)).toEqual(nothing);
    expect(errors).toEqual([]);
  });

  it('fails with its report if no operation becomes a tool', async () => {
    await submit({ spec_raw: description('') });
    expect(await runNext()).toMatchObject({
      state: 'failed',
      error: { code: 'unprocessable', message: expect.stringContaining('No operation') },
      report: { tools: 0 },
    });
  });

  it('does not show the text of a foreign error, and reports that error', async () => {
    await submit({});
    const foreign = new Error('secret detail');
    const job = await runNext({ ...smallSteps(), compile: () => Promise.reject(foreign) });
    expect(job).toMatchObject({ state: 'failed', error: { code: 'internal' } });
    expect(JSON.stringify(job)).not.toContain('secret detail');
    expect(errors).toEqual([foreign]);
  });

  it('is repeated after longer and longer pauses while its description is unreachable', async () => {
    await submit({ spec_url: URL_OF });
    const pauses: number[] = [];
    const { queue } = depsWith(smallSteps());
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
      expect(await runNext()).toMatchObject({ state: 'queued', attempt, error: null });
      const from = here.clock.nowMs;
      const isDue = async () => {
        const job = await queue.claim();
        if (job) await queue.pause(job, 0);
        return job !== undefined;
      };
      here.clock.nowMs += 1000 * 2 ** (attempt - 1) - 1;
      expect(await isDue()).toBe(false);
      here.clock.nowMs += 1;
      pauses.push(here.clock.nowMs - from);
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000]);
    expect(await runNext()).toMatchObject({
      state: 'failed',
      attempt: MAX_ATTEMPTS,
      error: { code: 'upstream_unreachable' },
    });
  });

  it('is not repeated after an error that would come again', async () => {
    await submit({ spec_url: URL_OF });
    const fetchDocument = () => Promise.reject(new GatewayError('upstream_blocked'));
    expect(await runNext({ ...smallSteps(), fetchDocument })).toMatchObject({
      state: 'failed',
      error: { code: 'upstream_blocked' },
    });
  });

  it('fails after 60 seconds, even if a step never ends', async () => {
    await submit({ spec_url: URL_OF });
    await runNext();
    here.clock.nowMs += JOB_TIME_MS - 20;
    const job = await runNext({
      ...smallSteps(),
      fetchDocument: () => new Promise(() => undefined),
    });
    expect(job).toMatchObject({
      state: 'failed',
      error: { code: 'unprocessable', message: expect.stringContaining('60 seconds') },
    });
  });

  it('starts again with all its time when its process died, a few times', async () => {
    await submit({ spec_url: URL_OF });
    const { queue } = depsWith(smallSteps());
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const job = await queue.claim();
      expect(job).toMatchObject({ attempt, deadlineAtMs: here.clock.nowMs + JOB_TIME_MS });
      expect(await queue.claim()).toBeUndefined();
      here.clock.nowMs += JOB_TIME_MS * 100;
    }
    expect(await runNext()).toMatchObject({
      state: 'failed',
      error: { code: 'internal', message: expect.stringContaining('interrupted') },
    });
  });

  it('is not changed by a process that lost it', async () => {
    await submit({ auth });
    const { queue } = depsWith(smallSteps());
    const late = await queue.claim();
    here.clock.nowMs += LEASE_MS;
    const current = await queue.claim();
    if (!late || !current) throw new Error('No job was due.');
    const compiled = {
      baseUrl: 'https://example.com',
      tools: ['a'],
      traits: {},
      report: {},
      compiledTools: null,
    };
    const assertFenced = async () => {
      const before = [await queue.find(here.ours, late.id), await storedRows(here.database)];
      expect(await queue.renew(late)).toBe(false);
      expect(await queue.advance(late, 'converting')).toBeUndefined();
      expect(await queue.keepDocument(late, Buffer.from('x'))).toBeUndefined();
      expect(await queue.pause(late, 1)).toBeUndefined();
      expect(await queue.release(late)).toBeUndefined();
      expect(await queue.end(late, { state: 'failed' })).toBeUndefined();
      expect(await queue.register(late, compiled)).toBeUndefined();
      const after = [await queue.find(here.ours, late.id), await storedRows(here.database)];
      expect(after).toEqual(before);
    };
    await assertFenced();
    await runJob(depsWith(smallSteps()), current, new AbortController().signal);
    expect(states().at(-1)).toBe('registered');
    await assertFenced();
  });

  it('is claimed by one process at a time', async () => {
    for (let n = 0; n < 10; n++) await submit({ name: `A${n}` });
    const { queue } = depsWith(smallSteps());
    const claimed = await Promise.all(Array.from({ length: 20 }, () => queue.claim()));
    const ids = claimed.flatMap((job) => job?.id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(0);
  });

  it('belongs to its tenant', async () => {
    const { id } = await submit({});
    expect(await depsWith(smallSteps()).queue.find(here.theirs, id)).toBeUndefined();
  });

  describe('in any interleaving of two processes that may be killed at any statement', () => {
    const UNNAMED = 'https://elsewhere.example/';
    const kinds = {
      ready: { auth },
      fetched: { auth, spec_url: URL_OF },
      unreachable: { auth, spec_url: 'https://example.org/' },
      broken: { auth, spec_raw: 'broken' },
      dry: { dry_run: true },
      unnamed: { auth, spec_url: UNNAMED },
    };
    const plan = fc.record({
      jobs: fc.array(fc.constantFrom(...Object.keys(kinds)), { minLength: 1, maxLength: 3 }),
      moves: fc.array(
        fc.record({
          process: fc.constantFrom(0, 1),
          move: fc.constantFrom('step', 'step', 'step', 'step', 'kill', 'lease'),
        }),
        { maxLength: 60 },
      ),
    });
    let runs = 0;

    async function check({ jobs, moves }: typeof plan extends fc.Arbitrary<infer P> ? P : never) {
      const tenants = createTenantStore(here.deps);
      const { id: tenantId } = await tenants.ensure(`run-${runs++}`);
      events.length = 0;
      const submitted: JobRecord[] = [];
      for (const [n, kind] of jobs.entries()) {
        const body = kinds[kind as keyof typeof kinds];
        submitted.push(await submit({ ...body, name: `${kind} ${n}` }, tenantId));
      }
      const documents = { [URL_OF]: description('list get'), [UNNAMED]: description('list') };
      const deps = depsWith(smallSteps(documents));
      const processes = [simulateProcess(deps), simulateProcess(deps)];
      const ended = new Map<string, JobRecord>();
      const observe = async () => {
        for (const { id } of submitted) {
          const job = await deps.queue.find(tenantId, id);
          if (job && ENDED_STATES.includes(job.state)) {
            expect(job).toEqual(ended.get(id) ?? job);
            ended.set(id, job);
          }
        }
      };
      for (const { process, move } of moves) {
        if (move === 'lease') here.clock.nowMs += LEASE_MS;
        else if (move === 'kill') processes[process]?.kill();
        else await processes[process]?.step();
        await observe();
      }
      processes[1]?.kill();
      while (ended.size < submitted.length) {
        if (!(await processes[0]?.step())) here.clock.nowMs += LEASE_MS;
        await observe();
      }
      await assertOnce(tenantId, [...ended.values()]);
    }

    async function assertOnce(tenantId: string, jobs: readonly JobRecord[]) {
      for (const { id } of jobs) {
        const ends = events.filter((job) => job.id === id && ENDED_STATES.includes(job.state));
        expect(ends.length).toBeLessThanOrEqual(1);
      }
      const expected = jobs.flatMap(({ registrationId }) => registrationId ?? []);
      const { db } = here.database;
      const of = (table: 'registrations' | 'registration_documents' | 'secrets') =>
        db.selectFrom(table).selectAll().where('tenant_id', '=', tenantId).execute();
      const registrations = (await of('registrations')) as { id: string; auth: string }[];
      expect(new Set(registrations.map(({ id }) => id))).toEqual(new Set(expected));
      expect(await of('registration_documents')).toHaveLength(expected.length);
      const secrets = (await of('secrets')) as { subject_id: string }[];
      expect(new Set(secrets.map(({ subject_id }) => subject_id))).toEqual(
        new Set(registrations.filter((each) => each.auth.includes('bearer')).map(({ id }) => id)),
      );
    }

    it('ends exactly once, and leaves nothing half-stored', { timeout: 180_000 }, async () => {
      await fc.assert(fc.asyncProperty(plan, check), { numRuns: 60 });
    });
  });
});
