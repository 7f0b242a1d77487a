import { invalidArguments } from '../platform/kernel/error.ts';
import type { Point } from './code-table.ts';
import type { KindDefinition } from './kinds/kind-definition.ts';
import { CODE_KINDS, type CodeKind, KINDS } from './kinds/kinds.ts';

/** What to look for: a text or the neighbourhood of a point. */
export interface CodeQuery {
  readonly kind: string;
  /** A name or a code, of at most 100 characters. */
  readonly text?: string;
  readonly near?: Point;
  /** The argument that the code is for, of kinds that have codes for several. */
  readonly argument?: string;
  /** Number of hits, 1 to 50; 10 if absent. */
  readonly limit?: number;
}

export const CODE_LIMITS = { textLength: 100, hits: 50, defaultHits: 10 } as const;

/** Refuses a query that cannot be answered. Fails with `invalid_arguments`, which says what is allowed. */
export function checkQuery({ kind: name, text, near, limit }: CodeQuery): CodeKind {
  const kind = checkKind(name);
  if ((text === undefined) === (near === undefined)) {
    refuse('', 'Give either text or near: a name, or {lat, lon} in degrees.');
  }
  if (text !== undefined) checkText(text);
  if (near !== undefined) checkPoint(near, kind);
  checkLimit(limit);
  return kind;
}

/** The text of a query of a kind that is not in the tables and has no coordinates. */
export function checkTextQuery({ kind, text, near, limit }: CodeQuery): string {
  if (near !== undefined) refuse('near', `cannot be used: ${kind} has no coordinates. Use text.`);
  if (text === undefined) return refuse('', 'Give text: a name, a ticker or a code.');
  checkText(text);
  checkLimit(limit);
  return text;
}

function checkLimit(limit = 1): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= CODE_LIMITS.hits) return;
  refuse('limit', `must be a whole number from 1 to ${CODE_LIMITS.hits}.`);
}

/** Refuses a kind that does not exist, and lists those that do. */
export const checkKind = (kind: string): CodeKind =>
  CODE_KINDS.find((name) => name === kind) ??
  refuse('kind', `is unknown. Available: ${CODE_KINDS.join(', ')}.`);

export function checkText(text: string): void {
  if (text.trim() === '') refuse('text', 'is empty. Give a name or a code.');
  if (text.length > CODE_LIMITS.textLength) {
    refuse('text', `is longer than ${CODE_LIMITS.textLength} characters.`);
  }
}

function checkPoint({ lat, lon }: Point, kind: CodeKind): void {
  if (!(Math.abs(lat) <= 90)) refuse('near.lat', 'must be a latitude from -90 to 90 degrees.');
  if (!(Math.abs(lon) <= 180)) refuse('near.lon', 'must be a longitude from -180 to 180 degrees.');
  const located = CODE_KINDS.filter((name) => (KINDS[name] as KindDefinition).located);
  if (located.includes(kind)) return;
  refuse(
    'near',
    `cannot be used: ${kind} has no coordinates. Use text. With coordinates: ${located.join(', ')}.`,
  );
}

/** Refuses an argument that a kind has no codes for. */
export function checkArgument(kind: CodeKind, argument: string, known: readonly string[]): void {
  if (known.includes(argument)) return;
  refuse(
    'argument',
    known.length > 0
      ? `is unknown for ${kind}. Available: ${known.join(', ')}.`
      : `cannot be used: ${kind} has codes for one argument only.`,
  );
}

function refuse(path: string, message: string): never {
  throw invalidArguments('Invalid code query', [{ path, message }]);
}
