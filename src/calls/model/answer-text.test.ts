import { describe, expect, it } from 'vitest';
import { makeOutcome, type OutcomeFacts, PROVENANCE } from '../../../test/support/call-outcome.ts';
import type { Provenance } from '../provenance.ts';
import { answerHead } from './answer-text.ts';

const head = (facts: OutcomeFacts, provenance: Partial<Provenance> = {}): string[] =>
  answerHead(makeOutcome({ ...facts, provenance: { ...PROVENANCE, ...provenance } }))
    .trimEnd()
    .split('\n');

describe('the headline of an answer', () => {
  it.each<[OutcomeFacts, string]>([
    [{ rows: 0 }, 'no rows: nothing was found'],
    [{ rows: 1 }, '1 row'],
    [{ rows: 2 }, '2 rows'],
    [{ rows: 2, count: { returned: 2, omitted: 1, total: null, next: null } }, '2 of 3 rows'],
    [{ rows: 2, count: { returned: 2, omitted: 0, total: 365, next: null } }, '2 of 365 rows'],
    [{}, 'a response'],
  ])('says how much there is: %j', (facts, amount) => {
    expect(head(facts)[0]).toBe(`sky_now: ${amount}. Source: Sky. Fetched now.`);
  });

  it('says what was asked, of which time the data are, and from whom they come', () => {
    const asked = { day: '20261122', codes: ['a', 'b'], text: 'two\nlines', left: null };
    const source = { ...PROVENANCE.source, attribution: 'The Agency, CC BY' };
    expect(head({ rows: 1 }, { asked, asOf: '2026-11-22', source })).toEqual([
      'sky_now: 1 row for day=20261122, codes=["a","b"], text=two lines. Data of 2026-11-22. Source: The Agency, CC BY. Fetched now.',
    ]);
  });

  it('says by what the rows were filtered, also if none is left', () => {
    const where = { fcstDate: '20261121', tmp: { from: 3 } };
    const count = { returned: 0, omitted: 0, total: 0, next: null };
    expect(head({ rows: 9, count, kind: 'ok', where }, { asked: { nx: 60 } })[0]).toBe(
      'sky_now: 0 rows for nx=60 where fcstDate=20261121, tmp={"from":3}. Source: Sky. Fetched now.',
    );
  });

  it('is bounded, however long the arguments are', () => {
    const [line = ''] = head({}, { asked: { q: 'x'.repeat(10_000) } });
    expect(line.length).toBeLessThan(500);
  });

  it('says how old a cached answer is', () => {
    expect(head({ cacheStatus: 'HIT' }, { ageSeconds: 7300 })[0]).toContain('Fetched 2 hours ago.');
    expect(head({ cacheStatus: 'HIT' })[0]).toContain('From the cache.');
  });

  it('begins with what the sandbox made up', () => {
    expect(head({}, { isSample: true })[0]).toMatch(/^SAMPLE, made up by the sandbox/);
  });
});

describe('the notes on an answer', () => {
  it('say how to get more', () => {
    const hint = 'There are 30 rows in all; page=2 gives the next ones.';
    const count = { returned: 1, omitted: 0, total: 30, next: { page: 2 }, hint };
    expect(head({ rows: 1, count })[1]).toBe(`Note: ${hint}`);
  });

  it('say that an earlier publication was taken, and when the next one is due', () => {
    const nextPublication = '2026-11-22T08:15:00.000Z';
    expect(head({ rows: 1 }, { steppedBack: 1, nextPublication }).slice(1)).toEqual([
      'Note: The latest publication has no data yet; this is the one before it.',
      `Note: The next publication is due at ${nextPublication}.`,
    ]);
    expect(head({ rows: 1 }, { steppedBack: 3 })[1]).toContain('the one 3 before it');
    expect(head({ rows: 1 }, { nextPublication })).toHaveLength(1);
    expect(head({ rows: 0 }, { nextPublication })).toHaveLength(2);
  });

  it('say that an answer is stale', () => {
    expect(head({ cacheStatus: 'STALE' }, { ageSeconds: 120 })[1]).toBe(
      'Note: The source is failing; this is an older answer, of 2 minutes ago.',
    );
  });
});
