import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';

const RUNS = 500;
const PAGE_ROWS = 3;

const PRESET = `openapi: 3.1.0
info: { title: Shifting, version: "1" }
servers: [{ url: "http://shifting.invalid" }]
paths:
  /rows:
    get:
      operationId: shifting_rows
      description: Rows of a unit of a run.
      x-items: /items
      x-total: /total
      parameters:
        - { name: run, in: query, required: true, description: A run., schema: { type: integer } }
        - { name: unit, in: query, required: true, description: A unit., schema: { type: integer } }
        - { name: pageNo, in: query, description: A page., schema: { type: integer, default: 1 } }
        - { name: numOfRows, in: query, description: Rows per page., schema: { type: integer, maximum: ${PAGE_ROWS}, default: ${PAGE_ROWS} } }
      responses: { "200": { description: Rows. } }
`;

/** What happens before a request is answered, or to its answer. */
type Event =
  | 'nothing'
  /** A row appears in front, which moves all others. */
  | 'insert'
  | 'append'
  | 'remove'
  /** The same, and the total is one of a moment before. */
  | 'insert_unseen'
  | 'remove_unseen'
  | 'total_off'
  | 'total_absent'
  | 'first_page_again'
  | 'empty'
  | 'slow'
  | 'refuse'
  | 'broken'
  | 'quota';

interface Plan {
  /** Rows of each unit at first. */
  readonly sizes: readonly number[];
  /** What happens at each request of the run, in their order; nothing after the last. */
  readonly events: readonly Event[];
}

const EVENT = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Event>('nothing') },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Event>(
      'insert',
      'append',
      'remove',
      'insert_unseen',
      'remove_unseen',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Event>('total_off', 'total_absent', 'first_page_again', 'empty'),
  },
  { weight: 1, arbitrary: fc.constantFrom<Event>('slow', 'refuse', 'broken', 'quota') },
);
const PLAN: fc.Arbitrary<Plan> = fc.record({
  sizes: fc.array(fc.nat(10), { minLength: 1, maxLength: 6 }),
  events: fc.array(EVENT, { maxLength: 16 }),
});

/** An upstream whose rows change while they are read. It remembers what its rows were at every moment. */
class ShiftingUnit {
  rows: string[];
  /**
   * Whether a missing row cannot be noticed: an answer had no total, or one that makes a full page the last, or a row went
   * while another came.
   */
  isUncounted = false;
  #went = false;
  #came = false;
  /** Every state of the rows, as JSON. */
  readonly states = new Set<string>();
  #next = 0;

  constructor(size: number) {
    this.rows = Array.from({ length: size }, () => this.#row());
    this.#remember();
  }

  #row(): string {
    return `row ${this.#next++}`;
  }

  #remember(): void {
    this.states.add(JSON.stringify(this.rows));
  }

  change(event: Event): void {
    if (event === 'insert' || event === 'insert_unseen') this.rows = [this.#row(), ...this.rows];
    if (event === 'append') this.rows = [...this.rows, this.#row()];
    if (event === 'remove' || event === 'remove_unseen') this.rows = this.rows.slice(1);
    this.#went ||= event.startsWith('remove');
    this.#came ||= event.startsWith('insert') || event === 'append';
    this.isUncounted ||= this.#went && this.#came;
    this.#remember();
  }
}

class ShiftingRun {
  readonly units: readonly ShiftingUnit[];
  /** Rows sent, by unit and page. */
  readonly answered = new Map<string, number>();
  readonly #events: Iterator<Event>;
  isDisturbed = false;

  constructor({ sizes, events }: Plan) {
    this.units = sizes.map((size) => new ShiftingUnit(size));
    this.#events = events[Symbol.iterator]();
  }

  async answer(unitNumber: number, page: number): Promise<{ status: number; body: unknown }> {
    const event = this.#events.next().value ?? 'nothing';
    const unit = this.units[unitNumber];
    if (!unit) throw new Error('There is no such unit.');
    if (event !== 'nothing' && event !== 'slow') this.isDisturbed = true;
    const totalBefore = unit.rows.length;
    unit.change(event);
    if (event === 'slow') await new Promise((resolve) => setTimeout(resolve, 10));
    if (event === 'refuse') return { status: 400, body: { message: 'no' } };
    if (event === 'quota') return { status: 429, body: { message: 'quota exceeded' } };
    if (event === 'broken') return { status: 200, body: { message: 'under maintenance' } };
    const isLate = event.endsWith('unseen');
    const seemsLast = isLate && totalBefore % PAGE_ROWS === 0;
    if (event === 'total_absent' || seemsLast) unit.isUncounted = true;
    const key = `${unitNumber} ${page}`;
    this.answered.set(key, (this.answered.get(key) ?? 0) + 1);
    const shown = event === 'first_page_again' ? 1 : page;
    const items = unit.rows.slice((shown - 1) * PAGE_ROWS, shown * PAGE_ROWS);
    const total = isLate ? totalBefore : unit.rows.length;
    return {
      status: 200,
      body: {
        items: event === 'empty' ? [] : items.map((name) => ({ name })),
        ...(event === 'total_absent' ? {} : { total: event === 'total_off' ? total + 1 : total }),
      },
    };
  }
}

let gateway: TestGateway;
const runs: ShiftingRun[] = [];
beforeAll(async () => {
  gateway = await startTestGateway({
    presets: { shifting: PRESET },
    env: { RATE_LIMIT_PER_MINUTE: '0' },
  });
  gateway.upstream.answer(async ({ url }, response) => {
    const query = new URL(url, 'http://shifting.invalid').searchParams;
    const run = runs[Number(query.get('run'))];
    const answer = await run?.answer(Number(query.get('unit')), Number(query.get('pageNo')));
    response.statusCode = answer?.status ?? 404;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer?.body));
  });
});
afterAll(() => gateway.close());

/** The rows that a result has of each unit, as JSON. */
function rowsByUnit({ data }: { data: { rows: [number, string][] } }, units: number): string[] {
  return Array.from({ length: units }, (_, unit) =>
    JSON.stringify(data.rows.filter(([of]) => of === unit).map(([, name]) => name)),
  );
}

it('is never complete if it is not, and asks for no page again that came whole', async () => {
  const seen = { complete: 0, incomplete: 0, failed: 0 };
  const property = fc.asyncProperty(PLAN, async (plan) => {
    const run = new ShiftingRun(plan);
    const last = plan.sizes.length - 1;
    const number = runs.push(run) - 1;
    const { result, error } = (
      await gateway.call('shifting_rows', { run: number, _over: [`unit=0..${last}`] })
    ).body;
    // Once before, and once more for a unit that did not come whole.
    const most = run.isDisturbed ? 2 : 1;
    for (const count of run.answered.values()) expect(count).toBeLessThanOrEqual(most);
    if (error || result.outcome === 'failed') {
      expect(run.isDisturbed).toBe(true);
      seen.failed++;
      return;
    }
    const { complete, units } = result;
    expect(complete).toBe(units.done === units.total);
    expect(units.total).toBe(plan.sizes.length);
    expect(units.done + units.failed).toBeLessThanOrEqual(units.total);
    if (!run.isDisturbed) expect(complete).toBe(true);
    seen[complete ? 'complete' : 'incomplete']++;
    if (result.data.rows === undefined || result.outcome === 'no_data') return;
    const failed = new Set(
      (units.failures ?? []).map(({ unit }: { unit: { unit: number } }) => unit.unit),
    );
    for (const [unit, rows] of rowsByUnit(result, plan.sizes.length).entries()) {
      // Rows of a unit are all rows that it had at one moment, or none.
      const { states, isUncounted } = run.units[unit] ?? new ShiftingUnit(0);
      const isWhole = isUncounted || states.has(rows);
      const isAbsent = !complete && rows === '[]';
      expect(isWhole || isAbsent, `unit ${unit}: ${rows}`).toBe(true);
      if (failed.has(unit)) expect(rows).toBe('[]');
    }
  });
  await fc.assert(property, { numRuns: RUNS });
  expect(seen.complete).toBeGreaterThan(RUNS / 10);
  expect(seen.incomplete + seen.failed).toBeGreaterThan(RUNS / 50);
  // What happened to one run says nothing of the next.
  expect(seen.complete + seen.incomplete + seen.failed).toBeGreaterThanOrEqual(RUNS);
}, 120_000);
