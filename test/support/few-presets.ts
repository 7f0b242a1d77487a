import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SHIPPED_PRESETS } from './sandboxed-presets.ts';

/** A `PRESETS_DIR` for processes that only need a tool to call: compiling all presets takes a third of their start. */
export const FEW_PRESETS = mkdtempSync(join(tmpdir(), 'few-presets-'));
for (const name of ['economy/frankfurter.yaml', 'culture/tour-korean.yaml']) {
  cpSync(join(SHIPPED_PRESETS, name), join(FEW_PRESETS, name));
}
process.once('exit', () => rmSync(FEW_PRESETS, { recursive: true }));
