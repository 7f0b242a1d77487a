import type { CatalogEntry } from '../catalog-entry.ts';
import type { CatalogLayer } from '../catalog-layer.ts';
import {
  type CatalogView,
  createBaseView,
  createDescribedView,
  createTenantView,
} from './catalog-view.ts';

/** Changes the registered tools in the catalog. */
export type CatalogLayers = Omit<
  ReturnType<typeof createCatalogLayers>,
  'viewOf' | 'setPresetLayer' | 'describeTenants'
>;

type Describe = (entry: CatalogEntry) => string;

interface TenantTools {
  /** What it registered; null if nothing. */
  readonly layer: CatalogLayer | null;
  /** How the tools of presets describe themselves to it; null if as to others. */
  readonly describe: Describe | null;
  /** Created when the tenant is first seen after a change. */
  view: CatalogView | undefined;
}

/** Composes the layers: presets, and one layer for each tenant that registered APIs. */
export function createCatalogLayers(presets: CatalogLayer) {
  let base = createBaseView(presets);
  const tenants = new Map<string, TenantTools>();

  function viewFor({ layer, describe }: TenantTools): CatalogView {
    const shared = describe ? createDescribedView(base, describe) : base;
    return layer && layer.entries.length > 0 ? createTenantView(shared, layer) : shared;
  }

  function change(tenantId: string, part: Partial<Pick<TenantTools, 'layer' | 'describe'>>): void {
    const { layer = null, describe = null } = { ...tenants.get(tenantId), ...part };
    if (layer || describe) tenants.set(tenantId, { layer, describe, view: undefined });
    else tenants.delete(tenantId);
  }

  return {
    viewOf(tenantId: string): CatalogView {
      const tenant = tenants.get(tenantId);
      if (tenant === undefined) return base;
      tenant.view ??= viewFor(tenant);
      return tenant.view;
    },
    /** Describes the tools of presets to these tenants as the function says, and to all others alike. */
    describeTenants(describes: ReadonlyMap<string, Describe>): void {
      for (const [tenantId, { describe }] of tenants) {
        if (describe && !describes.has(tenantId)) change(tenantId, { describe: null });
      }
      for (const [tenantId, describe] of describes) change(tenantId, { describe });
    },
    /** Whether a preset has a tool of this name. */
    isSharedName: (name: string): boolean => base.find(name) !== undefined,
    /**
     * Replaces all tools that a tenant registered. Returns false, and changes nothing, if the tenant has a newer layer: of
     * two look-ups in the database, the later one may end first. Null removes the layer with its version.
     */
    setTenantLayer(tenantId: string, layer: CatalogLayer | null): boolean {
      const current = tenants.get(tenantId)?.layer;
      if (layer && current && current.version > layer.version) return false;
      change(tenantId, { layer });
      return true;
    },
    /** Replaces all tools of presets, for all tenants. */
    setPresetLayer(layer: CatalogLayer): void {
      base = createBaseView(layer);
      for (const tenant of tenants.values()) tenant.view = undefined;
    },
  };
}
