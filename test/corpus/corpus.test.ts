import { beforeAll, describe, expect, test } from 'vitest';
import { playArea } from './play.ts';
import { readRecording } from './recording.ts';
import { AREAS } from './requests.ts';

/** Compares the public interface with its recording; after an intended change, run `npm run corpus:record`. */
describe.each(AREAS)('$name', (area) => {
  let answered: ReadonlyMap<string, string>;
  let recorded: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const transcripts = await playArea(area);
    answered = new Map(transcripts.map(({ title, text }) => [title, text]));
    recorded = await readRecording(area.name);
  });

  for (const { title } of area.entries) {
    test(title, () => expect(answered.get(title)).toBe(recorded.get(title)));
  }

  test('has exactly one recorded response for every entry', () => {
    expect([...recorded.keys()]).toEqual(area.entries.map(({ title }) => title));
  });
});
