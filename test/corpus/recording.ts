import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const DIR = join(import.meta.dirname, 'responses');

const HEADING = '### ';

/** The response to an entry, in its recorded form. */
export interface Transcript {
  readonly title: string;
  readonly text: string;
}

const fileOf = (area: string): string => join(DIR, `${area}.txt`);

/** The recorded responses of an area, by title. */
export async function readRecording(area: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(fileOf(area), 'utf8');
  const entries = text.split(`\n${HEADING}`).slice(1);
  return new Map(
    entries.map((entry) => {
      const end = entry.indexOf('\n');
      return [entry.slice(0, end), entry.slice(end + 1).replace(/\n$/, '')];
    }),
  );
}

/** Replaces the recorded responses of an area. */
export async function writeRecording(
  area: string,
  transcripts: readonly Transcript[],
): Promise<void> {
  const entries = transcripts.map(({ title, text }) => `\n${HEADING}${title}\n${text}\n`);
  await writeFile(fileOf(area), `Written by npm run corpus:record.\n${entries.join('')}`);
}
