import { type CatalogLayer, createLayer } from '../catalog-layer.ts';
import { type CatalogView, createBaseView, createTenantView } from './catalog-view.ts';

/** Changes the registered tools in the catalog. */
export type CatalogLayers = Omit<
  ReturnType<typeof createCatalogLayers>,
  'viewOf' | 'setPresetLayer'
>;

interface TenantTools {
  readonly layer: CatalogLayer;
  /** Created when the tenant is first seen after a change. */
  view: CatalogView | undefined;
}

/** Composes the layers: presets, approved public APIs, one layer for each tenant that registered any. */
export function createCatalogLayers(initial: CatalogLayer) {
  let presets = initial;
  let approved = createLayer([], Number.NEGATIVE_INFINITY);
  let base = createBaseView(presets, approved);
  const tenants = new Map<string, TenantTools>();

  function renewBase(): void {
    base = createBaseView(presets, approved);
    for (const tenant of tenants.values()) tenant.view = undefined;
  }

  return {
    viewOf(tenantId: string): CatalogView {
      const tenant = tenants.get(tenantId);
      if (tenant === undefined) return base;
      tenant.view ??=
        tenant.layer.entries.length === 0 ? base : createTenantView(base, tenant.layer);
      return tenant.view;
    },
    /** Whether a preset or an approved public API has a tool of this name, as tenants without a layer see it. */
    isSharedName: (name: string): boolean => base.find(name) !== undefined,
    /**
     * Replaces all tools that a tenant registered. Returns false, and changes nothing, if the tenant has a newer layer: of
     * two look-ups in the database, the later one may end first. Null removes the layer with its version.
     */
    setTenantLayer(tenantId: string, layer: CatalogLayer | null): boolean {
      const current = tenants.get(tenantId)?.layer;
      if (layer && current && current.version > layer.version) return false;
      if (layer) tenants.set(tenantId, { layer, view: undefined });
      else tenants.delete(tenantId);
      return true;
    },
    /** Replaces all tools of approved public APIs, for all tenants. Returns false if there is a newer layer. */
    setPublicLayer(layer: CatalogLayer): boolean {
      if (approved.version > layer.version) return false;
      approved = layer;
      renewBase();
      return true;
    },
    /** Replaces all tools of presets, for all tenants. */
    setPresetLayer(layer: CatalogLayer): void {
      presets = layer;
      renewBase();
    },
  };
}
