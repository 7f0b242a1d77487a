import { describe, expect, test } from 'vitest';
import { actorKindOf, subjectOf, type TrailEntry, valuesOf } from './trail-values.ts';

const entry = (change: Partial<TrailEntry>): TrailEntry => ({
  id: 'adm_1',
  timestamp: '2026-11-21T03:00:00.000Z',
  tenantId: 'ten_a',
  tenantSlug: 'acme',
  actor: 'person_min',
  actorEmail: 'min@example.com',
  action: 'key.changed',
  subjectId: 'key_1',
  subjectEmail: null,
  details: {},
  ...change,
});

describe('an entry of the trail', () => {
  test('says times as times, lists as lists, and what was taken away', () => {
    const details = {
      name: 'web',
      expiresAtMs: 1_803_226_911_473,
      allowedTools: ['kma_*', 'airkorea_*'],
      dailyLimit: null,
    };
    expect(valuesOf(entry({ details }))).toEqual([
      { name: 'name', kind: 'text', value: 'web' },
      { name: 'expiresAtMs', kind: 'time', value: 1_803_226_911_473 },
      { name: 'allowedTools', kind: 'text', value: 'kma_*, airkorea_*' },
      { name: 'dailyLimit', kind: 'none', value: null },
    ]);
  });

  test('says nothing of what a new key does not have, and cuts long values', () => {
    const details = { dailyLimit: null, allowedTools: [], isCut: true, beginning: 'x'.repeat(500) };
    expect(valuesOf(entry({ action: 'key.created', details }))).toEqual([
      { name: 'isCut', kind: 'boolean', value: true },
      { name: 'beginning', kind: 'text', value: 'x'.repeat(300) },
    ]);
  });

  test('calls its subject by what people know it by', () => {
    const names = new Map([['key_1', 'website']]);
    expect(subjectOf(entry({ details: { name: 'web' } }), names)).toBe('website');
    expect(subjectOf(entry({ details: { name: 'web' } }), new Map())).toBe('web');
    expect(subjectOf(entry({}), new Map())).toBe('key_1');
    const renamed = { action: 'person.renamed', subjectEmail: 'min@example.com' };
    expect(subjectOf(entry({ ...renamed, details: { name: 'Min' } }), names)).toBe(
      'min@example.com',
    );
  });

  test.each([
    ['cli', 'cli'],
    ['key_1', 'key'],
    ['person_1', 'person'],
  ])('knows what kind of actor %s is', (actor, kind) => {
    expect(actorKindOf(actor)).toBe(kind);
  });
});
