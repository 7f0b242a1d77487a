import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createSingleFlight } from './single-flight.ts';

/** Work that the test completes. */
function createWork() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const work = {
    runs: 0,
    abandonment: undefined as Cancellation | undefined,
    run: (cancellation: Cancellation) => {
      work.runs++;
      work.abandonment = cancellation;
      return promise;
    },
    succeed: resolve,
    fail: reject,
  };
  return work;
}

const createFlights = () => createSingleFlight<string>((value) => `${value} (joined)`);

const mustNotRun = () => Promise.reject(new Error('must not run'));

/** Waits until the reactions to settled promises have run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const cancelled = expect.objectContaining({ code: 'cancelled' });

describe('when the work succeeds', () => {
  it('runs the first caller’s work once and shares its value with every caller who joined', async () => {
    const flights = createFlights();
    const work = createWork();
    const first = flights.join('key', work);
    const second = flights.join('key', { run: mustNotRun });
    const third = flights.join('key', { run: mustNotRun });
    work.succeed('value');
    expect(await Promise.all([first, second, third])).toEqual([
      'value',
      'value (joined)',
      'value (joined)',
    ]);
    expect(work.runs).toBe(1);
  });

  it('runs different keys separately', async () => {
    const flights = createFlights();
    const [a, b] = [createWork(), createWork()];
    const both = Promise.all([flights.join('a', a), flights.join('b', b)]);
    a.succeed('A');
    b.succeed('B');
    expect(await both).toEqual(['A', 'B']);
  });

  it('starts a new flight for a caller who comes after completion', async () => {
    const flights = createFlights();
    const work = createWork();
    const first = flights.join('key', work);
    work.succeed('old');
    await first;
    expect(await flights.join('key', { run: async () => 'new' })).toBe('new');
  });
});

describe('when the leader fails', () => {
  it('rejects the leader with its own error and lets the caller who waited longest lead next', async () => {
    const flights = createFlights();
    const [one, two, three] = [createWork(), createWork(), createWork()];
    const first = flights.join('key', one);
    const second = flights.join('key', two);
    const third = flights.join('key', three);

    one.fail(new Error('first failure'));
    await expect(first).rejects.toThrow('first failure');
    expect([two.runs, three.runs]).toEqual([1, 0]);

    two.succeed('value');
    expect(await second).toBe('value');
    expect(await third).toBe('value (joined)');
    expect(three.runs).toBe(0);
  });

  it('lets each caller run once, and rejects each with its own error', async () => {
    const flights = createFlights();
    const works = [createWork(), createWork(), createWork()];
    const results = Promise.allSettled(works.map((work) => flights.join('key', work)));
    for (const [index, work] of works.entries()) work.fail(`failure ${index}`);
    expect(await results).toEqual([
      { status: 'rejected', reason: 'failure 0' },
      { status: 'rejected', reason: 'failure 1' },
      { status: 'rejected', reason: 'failure 2' },
    ]);
    expect(works.map((work) => work.runs)).toEqual([1, 1, 1]);
  });

  it('lets callers join while the second leader runs', async () => {
    const flights = createFlights();
    const [one, two] = [createWork(), createWork()];
    const first = flights.join('key', one);
    const second = flights.join('key', two);
    one.fail(new Error('failure'));
    await expect(first).rejects.toThrow();
    const late = flights.join('key', { run: mustNotRun });
    two.succeed('value');
    expect(await Promise.all([second, late])).toEqual(['value', 'value (joined)']);
  });

  it('skips a joiner who has left', async () => {
    const flights = createFlights();
    const one = createWork();
    const cancellation = new Cancellation();
    const first = flights.join('key', one);
    const second = flights.join('key', { run: mustNotRun, cancellation: () => cancellation });
    const third = flights.join('key', { run: async () => 'value' });
    cancellation.cancel();
    one.fail(new Error('failure'));
    await expect(first).rejects.toThrow('failure');
    await expect(second).rejects.toEqual(cancelled);
    expect(await third).toBe('value');
  });

  it('starts a new flight for the next caller when every caller failed', async () => {
    const flights = createFlights();
    await expect(flights.join('key', { run: mustNotRun })).rejects.toThrow('must not run');
    expect(await flights.join('key', { run: async () => 'value' })).toBe('value');
  });

  it('treats work that throws synchronously like work that rejects', async () => {
    const flights = createFlights();
    const run = () => {
      throw new GatewayError('missing_secret');
    };
    await expect(flights.join('key', { run })).rejects.toMatchObject({ code: 'missing_secret' });
  });
});

describe('when a caller disconnects', () => {
  it('rejects a caller who had disconnected before joining, and runs nothing', async () => {
    const flights = createFlights();
    const cancellation = new Cancellation();
    cancellation.cancel();
    const joined = flights.join('key', { run: mustNotRun, cancellation: () => cancellation });
    await expect(joined).rejects.toEqual(cancelled);
  });

  it('rejects a joiner at once without affecting the others', async () => {
    const flights = createFlights();
    const work = createWork();
    const cancellation = new Cancellation();
    const first = flights.join('key', work);
    const second = flights.join('key', { run: mustNotRun, cancellation: () => cancellation });
    cancellation.cancel();
    await expect(second).rejects.toEqual(cancelled);
    expect(work.abandonment?.isCancelled).not.toBe(true);
    work.succeed('value');
    expect(await first).toBe('value');
  });

  it('rejects a leader at once, and its work continues for the joiners', async () => {
    const flights = createFlights();
    const work = createWork();
    const cancellation = new Cancellation();
    const first = flights.join('key', { run: work.run, cancellation: () => cancellation });
    const second = flights.join('key', { run: mustNotRun });
    cancellation.cancel();
    await expect(first).rejects.toEqual(cancelled);
    expect(work.abandonment?.isCancelled).not.toBe(true);
    work.succeed('value');
    expect(await second).toBe('value (joined)');
  });

  it('lets a joiner lead when the work of a leader who left fails', async () => {
    const flights = createFlights();
    const work = createWork();
    const cancellation = new Cancellation();
    const first = flights.join('key', { run: work.run, cancellation: () => cancellation });
    const second = flights.join('key', { run: async () => 'own value' });
    cancellation.cancel();
    await expect(first).rejects.toEqual(cancelled);
    work.fail(new Error('failure'));
    expect(await second).toBe('own value');
  });

  it('cancels the work when the last caller leaves', async () => {
    const flights = createFlights();
    const work = createWork();
    const [firstCancellation, lastCancellation] = [new Cancellation(), new Cancellation()];
    const first = flights.join('key', { run: work.run, cancellation: () => firstCancellation });
    const second = flights.join('key', { run: mustNotRun, cancellation: () => lastCancellation });
    firstCancellation.cancel();
    expect(work.abandonment?.isCancelled).not.toBe(true);
    lastCancellation.cancel();
    expect(work.abandonment?.isCancelled).toBe(true);
    await expect(first).rejects.toEqual(cancelled);
    await expect(second).rejects.toEqual(cancelled);
  });

  it('never joins a later caller to abandoned work, and keeps the later flight when that work ends', async () => {
    const flights = createFlights();
    const [abandoned, fresh] = [createWork(), createWork()];
    const cancellation = new Cancellation();
    const first = flights.join('key', { run: abandoned.run, cancellation: () => cancellation });
    cancellation.cancel();
    await expect(first).rejects.toEqual(cancelled);

    const second = flights.join('key', fresh);
    abandoned.fail(new Error('aborted'));
    await settle();
    const third = flights.join('key', { run: mustNotRun });
    fresh.succeed('value');
    expect(await Promise.all([second, third])).toEqual(['value', 'value (joined)']);
  });

  it('no longer watches the caller once the value is delivered', async () => {
    const flights = createFlights();
    const late = new Cancellation();
    let abandonment: Cancellation | undefined;
    const run = async (given: Cancellation) => {
      abandonment = given;
      return 'value';
    };
    expect(await flights.join('key', { run, cancellation: () => late })).toBe('value');
    late.cancel();
    expect(abandonment?.isCancelled).toBe(false);
  });
});

describe('a flight with 1000 callers', () => {
  it('is full: the next caller starts another flight, which later callers join', async () => {
    const flights = createFlights();
    const [full, next] = [createWork(), createWork()];
    const first = flights.join('key', full);
    const joined = Array.from({ length: 999 }, () => flights.join('key', { run: mustNotRun }));
    const overflow = [flights.join('key', next), flights.join('key', { run: mustNotRun })];
    full.succeed('full');
    expect(await first).toBe('full');
    expect(new Set(await Promise.all(joined))).toEqual(new Set(['full (joined)']));
    const late = flights.join('key', { run: mustNotRun });
    next.succeed('next');
    expect(await Promise.all([...overflow, late])).toEqual([
      'next',
      'next (joined)',
      'next (joined)',
    ]);
  });
});
