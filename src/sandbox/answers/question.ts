import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import { type KoreanTime, koreanTime } from '../../public-data/korean-time.ts';
import { readTime } from './times.ts';

/** What a request asks its upstream for. */
export interface Question {
  /** Name of the tool. */
  readonly tool: string;
  /** The present. */
  readonly now: KoreanTime;
  /** The value of a parameter; empty if it was not sent. */
  readonly text: (name: string) => string;
  /** A parameter that is a number; undefined if it was not sent or is none. */
  readonly number: (name: string) => number | undefined;
  /** The values of a parameter, separated by commas. */
  readonly list: (name: string) => readonly string[];
  /** The start of the period that a parameter names; undefined if it was not sent or names none. */
  readonly time: (name: string) => KoreanTime | undefined;
  /** The JSON object in the body of the request; empty without one. */
  readonly body: JsonObject;
}

interface AskedParts {
  readonly tool: string;
  readonly nowMs: number;
  readonly textOf: (name: string) => string;
  readonly body: JsonObject | undefined;
}

export function createQuestion({ tool, nowMs, textOf, body }: AskedParts): Question {
  return {
    tool,
    now: koreanTime(nowMs),
    text: textOf,
    number(name) {
      const text = textOf(name).trim();
      const value = Number(text);
      return text === '' || !Number.isFinite(value) ? undefined : value;
    },
    list: (name) =>
      textOf(name)
        .split(',')
        .map((value) => value.trim())
        .filter((value) => value !== ''),
    time: (name) => readTime(textOf(name)),
    body: body ?? {},
  };
}

/** A code of only zeros or only nines, three or more, such as "99999": by convention, one that no upstream knows. */
export const isUnknownCode = (code: string): boolean => /^\D{0,4}(0{3,}|9{3,})$/.test(code);
