import { playArea } from './play.ts';
import { writeRecording } from './recording.ts';
import { AREAS } from './requests.ts';

// Writes down what the gateway answers now. Read the difference before it is committed.
for (const area of AREAS) {
  await writeRecording(area.name, await playArea(area));
  console.log(`${area.name}: ${area.entries.length} entries`);
}
