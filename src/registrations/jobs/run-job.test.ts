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
import { GatewayError } from '../../platform/kernel/error.ts';
import type { RegistrationSteps } from '../steps/registration-steps.ts';
import { ENDED_STATES, type JobKey, type JobRecord } from '../store/job-record.ts';
import { createJobStore, type JobStore, requireJob } from '../store/job-store.ts';
import { JOB_RETENTION_MS } from '../store/registration-bounds.ts';
import { submitJob } from '../store/submit-job.ts';
import { PAUSES_MS, runJob } from './run-job.ts';

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

  const depsWith = (steps: RegistrationSteps) => ({
    queue: createJobStore(here.deps),
    steps,
    onChanged: (job: JobRecord) => void events.push(job),
    onError: (error: unknown) => void errors.push(error),
  });
  const submit = (body: Record<string, unknown>) =>
    submitJob(here.deps, { tenantId: here.ours, apiKeyId: 'key_1', request: request(body) });
  /** Submits and runs a job; resolves with what is stored of it afterwards. */
  async function run(body: Record<string, unknown>, steps = smallSteps(), deps = depsWith(steps)) {
    const job = await submit(body);
    await runJob(deps, job, new AbortController().signal);
    return requireJob(here.deps.db, job.tenantId, job.id);
  }
  const states = () => events.map(({ state }) => state);
  const nothing = { secrets: [], documents: [], registrations: [] };
  const auth = { type: 'bearer', token: 't' };

  it('goes through its states to a registration with its document and credentials', async () => {
    const job = await run({ auth });
    expect(states()).toEqual(['fetching', 'validating', 'converting', 'registered']);
    expect(job).toMatchObject({ state: 'registered', report: { tools: 2 }, documentId: null });
    const stored = await storedRows(here.database);
    expect(stored.registrations).toEqual([{ id: job.registrationId, name: 'My API' }]);
    expect(stored.secrets).toEqual([{ subject_id: job.registrationId, field: 'token' }]);
    expect(stored.documents).toHaveLength(1);
  });

  it('fetches its description', async () => {
    const job = await run({ spec_url: URL_OF }, smallSteps({ [URL_OF]: description('list') }));
    expect(job).toMatchObject({ state: 'registered', report: { tools: 1 } });
    expect((await storedRows(here.database)).documents).toHaveLength(1);
  });

  describe('whose description has its server at another origin', () => {
    const spec = { spec_url: 'https://docs.example.com/openapi.json', auth };
    const runAt = (body: object, baseUrl?: string, operations = 'list get') =>
      run({ ...spec, ...body }, smallSteps({ [spec.spec_url]: description(operations, baseUrl) }));
    const originsOf = async () => {
      const { db } = here.database;
      const rows = await db.selectFrom('registrations').select('origins').execute();
      return rows.map(({ origins }) => JSON.parse(origins));
    };
    const api = 'https://api.example.com';

    it('waits for a confirmation, and leaves nothing behind', async () => {
      const job = await runAt({});
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
      expect(await runAt(body, baseUrl)).toMatchObject({ state: 'confirmation_required' });
    });

    it.each([
      ['the same origin, with its default port', {}, 'https://docs.example.com:443/v1'],
      ['a base_url', { base_url: `${api}/v2` }],
      ['no credential', { auth: { type: 'none' } }],
      ['a confirmation', { confirm_origins: [api] }],
      ['its text instead of its address', { spec_url: undefined, spec_raw: description('list') }],
    ])('is registered with %s', async (_what, body, baseUrl = `${api}/v1`) => {
      expect(await runAt(body, baseUrl)).toMatchObject({ state: 'registered', origins: [] });
      expect(await originsOf()).toEqual([[new URL(baseUrl).origin]]);
    });

    it('sends the credential to the server of an operation only if that is confirmed', async () => {
      const operations = 'list get@https://other.example';
      const confirmed = [api, 'https://other.example', 'https://gone.example'];
      await runAt({ name: 'One', confirm_origins: [api] }, undefined, operations);
      await runAt({ name: 'Two', confirm_origins: confirmed }, undefined, operations);
      expect(await originsOf()).toEqual([[api], [api, 'https://other.example']]);
    });

    it('names its origins in a dry run', async () => {
      expect(await runAt({ dry_run: true })).toMatchObject({ state: 'checked', origins: [api] });
      const empty = await runAt({ dry_run: true }, '', '');
      expect(empty).toMatchObject({ state: 'checked', origins: [] });
    });
  });

  it('registers nothing in a dry run, and leaves nothing behind', async () => {
    const job = await run({ dry_run: true, auth });
    expect(job).toMatchObject({ state: 'checked', report: { tools: 2 }, documentId: null });
    expect(await storedRows(here.database)).toEqual(nothing);
  });

  it('fails with a reason and a pointer, and leaves nothing behind', async () => {
    expect(await run({ spec_raw: 'broken', auth })).toMatchObject({
      state: 'failed',
      error: { code: 'unprocessable', message: 'The description has no paths.', pointer: '/paths' },
    });
    expect(await storedRows(here.database)).toEqual(nothing);
    expect(errors).toEqual([]);
  });

  it('fails with its report if no operation becomes a tool', async () => {
    expect(await run({ spec_raw: description('') })).toMatchObject({
      state: 'failed',
      error: { code: 'unprocessable', message: expect.stringContaining('No operation') },
      report: { tools: 0 },
    });
  });

  it('does not show the text of a foreign error, and reports that error', async () => {
    const foreign = new Error('secret detail');
    const job = await run({}, { ...smallSteps(), compile: () => Promise.reject(foreign) });
    expect(job).toMatchObject({ state: 'failed', error: { code: 'internal' } });
    expect(JSON.stringify(job)).not.toContain('secret detail');
    expect(errors).toEqual([foreign]);
  });

  it('fetches its description again after a pause while it is unreachable', async () => {
    const times: number[] = [];
    const fetchDocument = async () => {
      times.push(performance.now());
      if (times.length < 3) throw new GatewayError('upstream_unreachable');
      return Buffer.from(description('list'));
    };
    const job = await run({ spec_url: URL_OF }, { ...smallSteps(), fetchDocument });
    expect(job).toMatchObject({ state: 'registered' });
    const pauses = times.slice(1).map((time, at) => Math.round((time - (times[at] ?? 0)) / 1000));
    expect(pauses).toEqual([1, 2]);
    expect(PAUSES_MS).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  it('is not repeated after an error that would come again', async () => {
    const fetchDocument = () => Promise.reject(new GatewayError('upstream_blocked'));
    expect(await run({ spec_url: URL_OF }, { ...smallSteps(), fetchDocument })).toMatchObject({
      state: 'failed',
      error: { code: 'upstream_blocked' },
    });
  });

  it('belongs to its tenant', async () => {
    const { id } = await submit({});
    await expect(requireJob(here.deps.db, here.theirs, id)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  describe('that counts as interrupted before any of its statements, while its process is only slow', () => {
    const kinds = {
      ready: { auth },
      fetched: { auth, spec_url: URL_OF },
      broken: { auth, spec_raw: 'broken' },
      dry: { dry_run: true },
      unnamed: { auth, spec_url: 'https://elsewhere.example/' },
    };
    const documents = {
      [URL_OF]: description('list get'),
      [kinds.unnamed.spec_url]: description('list'),
    };

    /** Ends the job as another process does, before the statement with this number. */
    function interruptedAt(queue: JobStore, number: number): JobStore {
      let left = number;
      const gated =
        <Job extends JobKey, Args extends unknown[], Result>(
          method: (job: Job, ...args: Args) => Promise<Result>,
        ) =>
        async (job: Job, ...args: Args): Promise<Result> => {
          if (left-- === 0) {
            const ended = await queue.end(job, { state: 'failed', error: INTERRUPTED });
            if (ended) events.push(ended);
          }
          return method(job, ...args);
        };
      return {
        ...queue,
        advance: gated(queue.advance),
        keepDocument: gated(queue.keepDocument),
        register: gated(queue.register),
        end: gated(queue.end),
      };
    }
    const INTERRUPTED = { code: 'unavailable', message: 'Interrupted.' };

    it.each(Object.entries(kinds))(
      'ends once, and leaves nothing half-stored: %s',
      async (_, body) => {
        for (let number = 0; number <= 5; number++) {
          events.length = 0;
          const deps = depsWith(smallSteps(documents));
          const queue = interruptedAt(deps.queue, number);
          const job = await run({ ...body, name: `A${number}` }, deps.steps, { ...deps, queue });
          expect(events.filter(({ state }) => ENDED_STATES.includes(state))).toEqual([job]);
          if (number === 0) expect(job).toMatchObject({ state: 'failed', error: INTERRUPTED });
          if (number < 3) expect(job.registrationId).toBeNull();
        }
        const { registrations, documents: stored, secrets } = await storedRows(here.database);
        expect(stored).toHaveLength(registrations.length);
        const owners = secrets.map(({ subject_id }) => subject_id);
        expect(new Set(owners)).toEqual(new Set(registrations.map(({ id }) => id)));
        expect(owners).toHaveLength(registrations.length);
      },
    );
  });
});
