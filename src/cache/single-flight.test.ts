import { describe, expect, it } from 'vitest';
import { Departure } from '../platform/kernel/departure.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { createSingleFlight } from './single-flight.ts';

/** A piece of work that ends when the test says so. */
function createWork() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const work = {
    runs: 0,
    abandonment: undefined as Departure | undefined,
    run: (departure: Departure) => {
      work.runs++;
      work.abandonment = departure;
      return promise;
    },
    succeed: resolve,
    fail: reject,
  };
  return work;
}

const createFlights = () => createSingleFlight<string>((value) => `${value} (joined)`);

const nobodyRuns = () => Promise.reject(new Error('must not run'));

/** Lets everything that is already settled take its effect. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const cancelled = expect.objectContaining({ code: 'cancelled' });

describe('when all goes well', () => {
  it('runs the first caller’s work once and gives its value to all who came meanwhile', async () => {
    const flights = createFlights();
    const work = createWork();
    const first = flights.join('key', work);
    const second = flights.join('key', { run: nobodyRuns });
    const third = flights.join('key', { run: nobodyRuns });
    work.succeed('value');
    expect(await Promise.all([first, second, third])).toEqual([
      'value',
      'value (joined)',
      'value (joined)',
    ]);
    expect(work.runs).toBe(1);
  });

  it('runs different keys apart', async () => {
    const flights = createFlights();
    const [a, b] = [createWork(), createWork()];
    const both = Promise.all([flights.join('a', a), flights.join('b', b)]);
    a.succeed('A');
    b.succeed('B');
    expect(await both).toEqual(['A', 'B']);
  });

  it('starts afresh for a caller who comes after the landing', async () => {
    const flights = createFlights();
    const work = createWork();
    const first = flights.join('key', work);
    work.succeed('old');
    await first;
    expect(await flights.join('key', { run: async () => 'new' })).toBe('new');
  });
});

describe('when the leader fails', () => {
  it('gives the leader its own error and lets the one who waited longest try next', async () => {
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

  it('lets each caller try once, and gives each its own error', async () => {
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

  it('takes along those who come while the second one tries', async () => {
    const flights = createFlights();
    const [one, two] = [createWork(), createWork()];
    const first = flights.join('key', one);
    const second = flights.join('key', two);
    one.fail(new Error('failure'));
    await expect(first).rejects.toThrow();
    const late = flights.join('key', { run: nobodyRuns });
    two.succeed('value');
    expect(await Promise.all([second, late])).toEqual(['value', 'value (joined)']);
  });

  it('passes over a joiner who has left', async () => {
    const flights = createFlights();
    const one = createWork();
    const gone = new Departure();
    const first = flights.join('key', one);
    const second = flights.join('key', { run: nobodyRuns, departure: () => gone });
    const third = flights.join('key', { run: async () => 'value' });
    gone.leave();
    one.fail(new Error('failure'));
    await expect(first).rejects.toThrow('failure');
    await expect(second).rejects.toEqual(cancelled);
    expect(await third).toBe('value');
  });

  it('starts afresh for the next caller when everybody failed', async () => {
    const flights = createFlights();
    await expect(flights.join('key', { run: nobodyRuns })).rejects.toThrow('must not run');
    expect(await flights.join('key', { run: async () => 'value' })).toBe('value');
  });

  it('treats work that throws before its first step like work that fails', async () => {
    const flights = createFlights();
    const run = () => {
      throw new GatewayError('missing_secret');
    };
    await expect(flights.join('key', { run })).rejects.toMatchObject({ code: 'missing_secret' });
  });
});

describe('when a caller goes away', () => {
  it('rejects a caller who had left before asking, and runs nothing', async () => {
    const flights = createFlights();
    const gone = new Departure();
    gone.leave();
    const joined = flights.join('key', { run: nobodyRuns, departure: () => gone });
    await expect(joined).rejects.toEqual(cancelled);
  });

  it('rejects a joiner at once and disturbs nobody', async () => {
    const flights = createFlights();
    const work = createWork();
    const gone = new Departure();
    const first = flights.join('key', work);
    const second = flights.join('key', { run: nobodyRuns, departure: () => gone });
    gone.leave();
    await expect(second).rejects.toEqual(cancelled);
    expect(work.abandonment?.hasLeft).not.toBe(true);
    work.succeed('value');
    expect(await first).toBe('value');
  });

  it('rejects a leader at once, and its work goes on for those who joined', async () => {
    const flights = createFlights();
    const work = createWork();
    const gone = new Departure();
    const first = flights.join('key', { run: work.run, departure: () => gone });
    const second = flights.join('key', { run: nobodyRuns });
    gone.leave();
    await expect(first).rejects.toEqual(cancelled);
    expect(work.abandonment?.hasLeft).not.toBe(true);
    work.succeed('value');
    expect(await second).toBe('value (joined)');
  });

  it('lets a joiner try when the work of a leader who left fails', async () => {
    const flights = createFlights();
    const work = createWork();
    const gone = new Departure();
    const first = flights.join('key', { run: work.run, departure: () => gone });
    const second = flights.join('key', { run: async () => 'own value' });
    gone.leave();
    await expect(first).rejects.toEqual(cancelled);
    work.fail(new Error('failure'));
    expect(await second).toBe('own value');
  });

  it('aborts the work when the last one has gone', async () => {
    const flights = createFlights();
    const work = createWork();
    const [goneFirst, goneLast] = [new Departure(), new Departure()];
    const first = flights.join('key', { run: work.run, departure: () => goneFirst });
    const second = flights.join('key', { run: nobodyRuns, departure: () => goneLast });
    goneFirst.leave();
    expect(work.abandonment?.hasLeft).not.toBe(true);
    goneLast.leave();
    expect(work.abandonment?.hasLeft).toBe(true);
    await expect(first).rejects.toEqual(cancelled);
    await expect(second).rejects.toEqual(cancelled);
  });

  it('never joins a later caller to abandoned work, nor lets that work end the later one', async () => {
    const flights = createFlights();
    const [abandoned, fresh] = [createWork(), createWork()];
    const gone = new Departure();
    const first = flights.join('key', { run: abandoned.run, departure: () => gone });
    gone.leave();
    await expect(first).rejects.toEqual(cancelled);

    const second = flights.join('key', fresh);
    abandoned.fail(new Error('aborted'));
    await settle();
    const third = flights.join('key', { run: nobodyRuns });
    fresh.succeed('value');
    expect(await Promise.all([second, third])).toEqual(['value', 'value (joined)']);
  });

  it('does not watch the caller any more once the value is delivered', async () => {
    const flights = createFlights();
    const late = new Departure();
    let abandonment: Departure | undefined;
    const run = async (given: Departure) => {
      abandonment = given;
      return 'value';
    };
    expect(await flights.join('key', { run, departure: () => late })).toBe('value');
    late.leave();
    expect(abandonment?.hasLeft).toBe(false);
  });
});

describe('a flight with as many callers as it may have', () => {
  it('is not joined any more: the next caller begins another, which later callers join', async () => {
    const flights = createSingleFlight<string>((value) => `${value} (joined)`, 2);
    const [full, next] = [createWork(), createWork()];
    const joined = [
      flights.join('key', full),
      flights.join('key', { run: nobodyRuns }),
      flights.join('key', next),
      flights.join('key', { run: nobodyRuns }),
    ];
    full.succeed('full');
    await settle();
    const late = flights.join('key', { run: async () => 'late' });
    next.succeed('next');
    expect(await Promise.all([...joined, late])).toEqual([
      'full',
      'full (joined)',
      'next',
      'next (joined)',
      'late',
    ]);
  });
});
