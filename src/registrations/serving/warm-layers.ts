import { recentLayers } from '../store/layers.ts';
import type { LayersInUse, LayersInUseDeps } from './layers-in-use.ts';

/** Tenants whose layers are loaded at most. */
const MAX_TENANTS = 1000;

/**
 * Loads the layers of tenants after a start, those changed last first, so that their first requests need not wait. Leaves half
 * of the memory for layers to tenants that come by themselves. Resolves once it has ended, whatever could not be loaded: one
 * that cannot be, or takes long, keeps no other from being loaded.
 */
export async function warmLayers(
  layers: Pick<LayersInUse, 'ready' | 'usedBytes'>,
  { db, maxBytes }: Pick<LayersInUseDeps, 'db' | 'maxBytes'>,
  signal: AbortSignal,
): Promise<void> {
  // The first request of a tenant loads its layer, and says what is wrong.
  const recent = await recentLayers(db, MAX_TENANTS).catch(() => []);
  for (const tenantId of recent) {
    if (signal.aborted || layers.usedBytes() >= maxBytes / 2) return;
    await layers.ready(tenantId)?.catch(() => undefined);
  }
}
