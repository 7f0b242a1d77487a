import { beforeAll, describe, expect, test } from 'vitest';
import { playArea } from './play.ts';
import { readRecording } from './recording.ts';
import { AREAS } from './requests.ts';

/** The public interface stays as it was recorded; after a change that is meant, run `npm run corpus:record`. */
describe.each(AREAS)('$name', (area) => {
  let answered: ReadonlyMap<string, string>;
  let recorded: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const transcripts = await playArea(area);
    answered = new Map(transcripts.map(({ title, text }) => [title, text]));
    recorded = await readRecording(area.name);
  }, 60_000);

  for (const { title } of area.entries) {
    test(title, () => expect(answered.get(title)).toBe(recorded.get(title)));
  }

  test('has an answer of its own for every entry, and no other', () => {
    expect([...recorded.keys()]).toEqual(area.entries.map(({ title }) => title));
  });
});
