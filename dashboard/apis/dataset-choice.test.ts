import { expect, it } from 'vitest';
import { extensionsIn, firstChoice, type Proposal, withCorrections } from './dataset-choice.ts';

const proposed = (
  id: string,
  operation: string | null,
  extension: string,
  confidence = 'high',
) => ({ id, operation, extension, value: `value of ${id}`, confidence, pointer: '', evidence: '' });

const PROPOSAL = {
  operations: ['GET /new', 'GET /old'].map((operation) => ({ operation, title: null, asks: [] })),
  proposals: [
    proposed('p1', null, 'x-public-data'),
    proposed('p2', 'GET /old', 'x-exclude'),
    proposed('p3', 'GET /new', 'x-items', 'medium'),
    proposed('p4', 'GET /new', 'x-default', 'low'),
    proposed('p5', 'GET /old', 'x-items'),
  ],
} as unknown as Proposal;

it('registers what is sure, and no older revision', () => {
  expect(extensionsIn(PROPOSAL, firstChoice(PROPOSAL))).toEqual([
    { operation: null, extension: 'x-public-data', value: 'value of p1' },
    { operation: 'GET /new', extension: 'x-items', value: 'value of p3' },
    { operation: 'GET /old', extension: 'x-exclude', value: true },
  ]);
});

it('registers what a person has chosen, with what a test has corrected', () => {
  const choice = {
    on: new Set(['p3', 'p4', 'p5']),
    operations: new Set(['GET /new', 'GET /old']),
    corrected: new Map(),
  };
  const corrections = [
    { operation: 'GET /new', extension: 'x-items', value: '/rows' },
    { operation: 'GET /none', extension: 'x-items', value: '/none' },
  ];
  expect(extensionsIn(PROPOSAL, withCorrections(PROPOSAL, choice, corrections))).toEqual([
    { operation: 'GET /new', extension: 'x-items', value: '/rows' },
    { operation: 'GET /new', extension: 'x-default', value: 'value of p4' },
    { operation: 'GET /old', extension: 'x-items', value: 'value of p5' },
  ]);
});
