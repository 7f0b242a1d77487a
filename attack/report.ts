import { styleText } from 'node:util';
import type { Verdict } from './attack.ts';

export interface Row extends Verdict {
  readonly attack: string;
  readonly bound: string;
}

/** Prints the result of an attack as soon as the attack has ended. */
export function printRow({ attack, bound, held, text }: Row): void {
  const mark = held ? styleText('green', 'held  ') : styleText('red', 'BROKEN');
  console.log(`${mark} ${attack}\n       bound:  ${bound}\n       result: ${text}`);
}

/** Prints all results as a Markdown table. */
export function printTable(rows: readonly Row[]): void {
  console.log('\n| attack | bound | result | |\n|---|---|---|---|');
  for (const { attack, bound, held, text } of rows) {
    console.log(`| ${attack} | ${bound} | ${text} | ${held ? 'held' : '**broken**'} |`);
  }
  const broken = rows.filter(({ held }) => !held).length;
  console.log(`\n${rows.length - broken} held, ${broken} broken`);
}

/** The value below which the given fraction of the values lies. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
