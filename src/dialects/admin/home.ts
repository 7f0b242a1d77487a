import type { Catalog } from '../../tools/catalog/catalog.ts';
import { publicRoute } from './admin-route.ts';

export interface HomeRoutesDeps {
  readonly catalog: Pick<Catalog, 'servers' | 'presetEntries'>;
  readonly version: string;
  /** Whether every tool of a preset answers with made-up data. */
  readonly isSandbox: boolean;
  /** Where clients reach the gateway; undefined if no setting says so. */
  readonly gatewayUrl: string | undefined;
  /** Whether hosts may connect without a key, when a person signs in. */
  readonly canSignIn: boolean;
}

/** `GET /home`: what a visitor sees of the gateway. It says nothing of tenants. */
export const createHomeRoutes = ({ catalog, gatewayUrl, ...facts }: HomeRoutesDeps) => ({
  'GET /home': publicRoute({
    input: {},
    handle: () => ({
      version: facts.version,
      isSandbox: facts.isSandbox,
      canSignIn: facts.canSignIn,
      gatewayUrl: gatewayUrl ?? null,
      servers: catalog.servers.length,
      tools: catalog.presetEntries.length,
      categories: [...Map.groupBy(catalog.presetEntries, ({ category }) => category)]
        .map(([name, entries]) => ({ name, tools: entries.length }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    }),
  }),
});
