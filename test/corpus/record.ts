import { playArea } from './play.ts';
import { writeRecording } from './recording.ts';
import { AREAS } from './requests.ts';

// Records the current responses of the gateway. Review the difference before you commit it.
for (const area of AREAS) {
  await writeRecording(area.name, await playArea(area));
  console.log(`${area.name}: ${area.entries.length} entries`);
}
