import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** One call: the name of the tool, and its arguments as a model gives them. `$1.code` is read from the first call's text. */
export type ModelCall = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A question, the calls that follow from the descriptions of the tools, and what the last text must be like. */
export interface QuestionCase {
  readonly question: string;
  readonly calls: readonly ModelCall[];
  /** Phrases, or regular expressions between slashes, in which ^ and $ are the ends of a line. */
  readonly holds: readonly string[];
  readonly lacks?: readonly string[];
  /** The text must have fewer tokens. */
  readonly tokens?: number;
}

/** The time at which the questions are asked: a Friday, 14:00 in Korea. */
export const ASKED_AT = Date.parse('2026-11-20T14:00:00+09:00');

const read = (language: string): QuestionCase[] =>
  parse(readFileSync(join(import.meta.dirname, `answers-${language}.yaml`), 'utf8'));

export const KOREAN_QUESTIONS: readonly QuestionCase[] = read('korean');

export const ENGLISH_QUESTIONS: readonly QuestionCase[] = read('english');

/** The expression for a phrase, or for what is between slashes. */
export const expressionOf = (phrase: string): RegExp => {
  const source = /^\/(.*)\/$/s.exec(phrase)?.[1];
  return new RegExp(source ?? RegExp.escape(phrase), 'm');
};

const REFERENCE = /^\$(\d)\.(\w+)$/;

/** Arguments in which references are replaced by what the earlier texts say in their first row. */
export const withReferences = (
  args: Readonly<Record<string, unknown>>,
  texts: readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const [, call, column = ''] = REFERENCE.exec(String(value)) ?? [];
      return [name, call ? firstCell(texts[Number(call) - 1] ?? '', column) : value];
    }),
  );

/** The cell of a column in the first row of a text: below the empty line are the headings, then the rows. */
function firstCell(text: string, column: string): string {
  const [headings = '', row = ''] = (text.split('\n\n')[1] ?? '').split('\n');
  const names = headings.split('\t').map((heading) => heading.replace(/ \(.*/, ''));
  const cell = row.split('\t')[names.indexOf(column)];
  if (!cell) throw new Error(`The first row has no ${column}: ${text}`);
  return cell;
}
