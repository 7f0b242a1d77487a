import { GatewayError } from '../../platform/kernel/error.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { callerOf, type RouteRequest } from '../route.ts';

/** The tool that a path names by id or by name. Throws `not_found` for one that the caller's key may not use. */
export function findTool(catalog: Pick<Catalog, 'findById'>, request: RouteRequest): CatalogEntry {
  const entry = catalog.findById(callerOf(request), request.params['toolId'] ?? '');
  if (!entry) throw new GatewayError('not_found', 'No such tool. GET /api/v1/tools lists all.');
  return entry;
}
