import { SETTINGS, type Settings } from '../../platform/config/settings.ts';
import { repeat } from '../../platform/kernel/repeat.ts';
import { fingerprintOf } from '../../tools/catalog/preset-files.ts';
import { toolsetsDir } from '../../tools/catalog/toolsets.ts';

/** Watches the files of presets and toolsets, except those of the release. */
export interface PresetWatch {
  /** Calls `onChanged` once the files have changed since the watch was created, and then were quiet for a while. */
  start(onChanged: () => Promise<void>): void;
  stop(): void;
}

const PAUSE_MS = 2000;

/** Polls, which also notices changes in mounted volumes, of which the operating system sends no events. */
export async function createPresetWatch(
  settings: Pick<Settings, 'PRESETS_DIR' | 'PRESETS_EXTRA_DIRS'>,
): Promise<PresetWatch> {
  const { PRESETS_DIR: dir, PRESETS_EXTRA_DIRS: extraDirs } = settings;
  const isShipped = dir === SETTINGS.PRESETS_DIR.default;
  const dirs = [...(isShipped ? [] : [dir, toolsetsDir(dir)]), ...extraDirs];
  let loaded = await fingerprintOf(dirs);
  let latest = loaded;
  let stop: (() => void) | undefined;
  return {
    start(onChanged) {
      if (dirs.length === 0) return;
      stop = repeat(
        async () => {
          const current = await fingerprintOf(dirs);
          const isQuiet = current === latest;
          latest = current;
          if (!isQuiet || current === loaded) return;
          loaded = current;
          await onChanged();
        },
        () => PAUSE_MS,
      );
    },
    stop: () => stop?.(),
  };
}
