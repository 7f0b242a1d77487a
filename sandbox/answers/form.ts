import { parse } from 'yaml';
import type { JsonObject } from '../../src/platform/kernel/plain-json.ts';
import type { KoreanTime } from '../../src/public-data/korean-time.ts';
import { onFirstUse, readFactFile } from '../tables.ts';
import type { Question } from './question.ts';
import type { Row } from './sample-format.ts';

type Text = 'echo' | 'name' | 'keep' | 'single' | 'names' | 'ids' | 'counters' | 'figures' | 'by';

/** What the simulator must know of a tool beyond its sample: see `facts/forms.yaml`. */
export interface Form extends Readonly<Partial<Record<Text, string>>> {
  readonly count?: number | 'many';
  readonly time?: readonly [columns: string, period: string, step: string];
  readonly until?: 'begun' | 'ahead';
  readonly ranked?: true;
  readonly totals?: true;
}

/** What a sample and a form cannot say of a tool. */
export interface Special {
  /** The things of which there is a row for each time: columns that differ from the sample. */
  readonly things?: (question: Question, sample: readonly Row[]) => readonly Row[];
  /** Columns made from the others, and from the time of the row. */
  readonly make?: (row: Row, time: KoreanTime, question: Question) => Row;
  /** The whole response of a tool without rows. */
  readonly whole?: (question: Question, sample: JsonObject) => JsonObject;
}

export type Specials = Readonly<Record<string, Special>>;

const forms = onFirstUse(
  (): ReadonlyMap<string, Form> =>
    new Map(Object.entries(parse(readFactFile('forms.yaml'), { merge: true }))),
);

export const formOf = (tool: string): Form => forms().get(tool) ?? {};

export const words = (text = ''): string[] => text.split(' ').filter(Boolean);

/** The pairs of a list such as `column=parameter column=parameter`. */
export const pairs = (text = ''): [string, string][] =>
  words(text).map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
