import type { Settings } from '../../platform/config/settings.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { type Catalog, createCatalog } from '../../tools/catalog/catalog.ts';
import { loadPresets } from '../../tools/catalog/load-presets.ts';

/** The tools of the presets on this machine. Standard error says if files were left out because they are not valid. */
export async function loadPresetCatalog({
  PRESETS_DIR,
  PRESETS_EXTRA_DIRS,
}: Settings): Promise<Catalog> {
  let faults = 0;
  const { presets } = await loadPresets({
    dir: PRESETS_DIR,
    extraDirs: PRESETS_EXTRA_DIRS,
    domain: PUBLIC_DATA_TOOLS,
    lenient: true,
    logger: {
      error: () => {
        faults++;
      },
    },
  });
  if (faults > 0) {
    process.stderr.write(
      `Preset files with faults were left out (${faults} in all). To see them, run: ${commandLine('presets check')}\n`,
    );
  }
  return createCatalog({ presets });
}
